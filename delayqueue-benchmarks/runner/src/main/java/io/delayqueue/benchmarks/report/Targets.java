package io.delayqueue.benchmarks.report;

import static io.delayqueue.benchmarks.Contestants.BASELINE;
import static io.delayqueue.benchmarks.Contestants.CORE;
import static io.delayqueue.benchmarks.Contestants.JOURNAL;
import static io.delayqueue.benchmarks.Contestants.LIMIT;
import static io.delayqueue.benchmarks.Contestants.MARIADB;
import static io.delayqueue.benchmarks.Contestants.OUTBOX;
import static io.delayqueue.benchmarks.Contestants.STARTER;

import io.delayqueue.benchmarks.report.SampleTable.Column;
import io.delayqueue.benchmarks.scenarios.DurableScenario;
import io.delayqueue.benchmarks.scenarios.Figures;
import io.delayqueue.benchmarks.scenarios.GrowthScenario;
import io.delayqueue.benchmarks.scenarios.JournalScenario;
import io.delayqueue.benchmarks.scenarios.LatenessScenario;
import io.delayqueue.benchmarks.scenarios.ProcessesScenario;
import io.delayqueue.benchmarks.scenarios.TopicsScenario;
import io.delayqueue.benchmarks.servers.Durability;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** The targets of this library, beside the figures that it reached: ratios to the limit line first. The median of the rounds decides. */
final class Targets {

    /** A drain may be a tenth slower than the baseline's: simpler code may cost that much, and no more. */
    private static final double DRAIN_ALLOWANCE = 0.9;

    private static final String RELAXED_DRAIN = DurableScenario.setting(Durability.RELAXED, "drain");
    private static final String P50 = Figures.SINCE_CALL + "P50";
    private static final String P99 = Figures.SINCE_CALL + "P99";
    private static final String RETURN_P50 = Figures.SINCE_RETURN + "P50";
    private static final String RETURN_P99 = Figures.SINCE_RETURN + "P99";
    private static final String LATEST = Figures.SINCE_CALL + "Max";

    private final SampleTable samples;

    Targets(SampleTable samples) {
        this.samples = samples;
    }

    List<Target> all() {
        return Stream.of(besideLimit(), besidePeers(), lateness(), topics(), processes(), starter(), journal())
                .flatMap(List::stream)
                .toList();
    }

    private List<Target> besideLimit() {
        return List.of(
                atMost(
                        1.3,
                        "whole life, batches of 100: Redis CPU ÷ limit line's",
                        beside(LIMIT, "drain", "100", "lifeServerCpu")),
                atMost(1.25, "schedule in batches of 100: Redis CPU ÷ limit line's", schedule("1x100")),
                atMost(1.5, "schedule, 8 threads one by one: Redis CPU ÷ limit line's", schedule("8x1")),
                atMost(1.1, "Redis CPU of a life ÷ limit line's: at 1,000,000 pending ÷ at 0", growth("1000000")),
                atMost(1.1, "Redis CPU of a life ÷ limit line's: at 10,000,000 pending ÷ at 0", growth("10000000")),
                atMost(
                        1.5,
                        "durable, relaxed: Redis CPU of a life ÷ limit line's",
                        beside(LIMIT, "durable", RELAXED_DRAIN, Figures.SERVER_CPU)),
                atMost(1.25, "memory, 100 B: ÷ hash field + sorted set member", memory(100)),
                atMost(1.25, "memory, 1 KiB: ÷ hash field + sorted set member", memory(1024)));
    }

    private List<Target> besidePeers() {
        Optional<Stat> baseline = drainBeside(BASELINE);
        return Stream.concat(
                        Stream.of(
                                atLeast(8, "drain at concurrency 64 ÷ Redisson's", drainBeside("redisson")),
                                atLeast(50, "drain at concurrency 64 ÷ rqueue's", drainBeside("rqueue")),
                                atLeast(1.5, "drain at concurrency 64 ÷ beanstalkd's", drainBeside("beanstalkd")),
                                atLeast(
                                        5,
                                        "durable, relaxed: drain at concurrency 64 ÷ db-scheduler's",
                                        beside("db-scheduler", "durable", RELAXED_DRAIN, Figures.RATE))),
                        // only where another version was measured in the same run
                        baseline.stream()
                                .map(ratio -> atLeast(
                                        DRAIN_ALLOWANCE, "drain at concurrency 64 ÷ baseline's", Optional.of(ratio))))
                .toList();
    }

    private List<Target> lateness() {
        return List.of(
                atMost(0.3, "lateness since the call's begin at 1,000 msg/s: p50, ms", late("1000", P50)),
                atMost(1, "lateness since the call's begin at 1,000 msg/s: p99, ms", late("1000", P99)),
                atMost(2, "lateness since the call's begin at 5,000 msg/s: p99, ms", late("5000", P99)),
                atMost(0.3, "lateness since the call's return at 1,000 msg/s: p50, ms", late("1000", RETURN_P50)),
                atMost(1, "lateness since the call's return at 1,000 msg/s: p99, ms", late("1000", RETURN_P99)),
                atMost(2, "lateness since the call's return at 5,000 msg/s: p99, ms", late("5000", RETURN_P99)),
                atMost(0, "early at 1,000 msg/s, messages", worst("lateness", "1000", "early")),
                atMost(0, "early at 5,000 msg/s, messages", worst("lateness", "5000", "early")),
                atMost(10, "backlog at 5,000 msg/s: p50 of the last quarter, ms", late("5000", "lastQuarterP50")),
                atMost(
                        1,
                        "a single message after a silence: latest of the round since the call's begin, ms",
                        late(LatenessScenario.SILENCE, LATEST)));
    }

    private List<Target> topics() {
        return List.of(
                atMost(0.25, "idle: commands/s a topic and process, worst setting", idle()),
                atMost(32, "1,000 topics in one process: threads, idle", topics("threads")),
                atMost(100, "1,000 topics, a message a second on each: threads", topics("threadsAtRate")),
                atMost(3, "1,000 topics in one process: connections", topics("connections")),
                atMost(0.25, "1,000 topics, idle: commands/s a topic", topics("commandsPerTopicAndProcess")),
                atMost(5, "1,000 topics, a message a second on each: p99 since the call's begin, ms", topics(P99)));
    }

    private List<Target> processes() {
        return List.of(
                atMost(
                        4,
                        "ten processes, 10 msg/s: script calls a message",
                        samples.stat("processes", CORE, ProcessesScenario.setting(10), Figures.SCRIPTS)),
                atMost(
                        1_000,
                        "all processes but one killed before a message is due: lateness, worst round, ms",
                        worst("processes", ProcessesScenario.KILLED, LATEST)));
    }

    private List<Target> starter() {
        return List.of(
                atMost(
                        1.25,
                        "starter, 100 B of JSON: client CPU of a life ÷ core's",
                        ratio("payload", "100", STARTER, CORE, Figures.CLIENT_CPU)),
                // of the scenario whose warm-up is long enough for its code
                atLeast(
                        0.85,
                        "starter, 100 B of JSON: drain at concurrency 64 ÷ core's",
                        ratio("payload", "100", STARTER, CORE, Figures.RATE)));
    }

    private List<Target> journal() {
        return List.of(
                atLeast(
                        20_000,
                        "journal in PostgreSQL: relayed rows a second",
                        samples.stat("journal", JOURNAL, JournalScenario.RELAY, Figures.RATE)),
                atLeast(
                        8_000,
                        "journal in MariaDB: relayed rows a second",
                        samples.stat("journal", MARIADB, JournalScenario.RELAY, Figures.RATE)),
                atMost(
                        10,
                        "journal: from the commit to Redis, p99, ms",
                        samples.stat("journal", JOURNAL, JournalScenario.COMMIT, JournalScenario.COMMIT_P99)),
                atLeast(
                        0.75,
                        "journal: throughput with audit ÷ without",
                        ratio("journal", JournalScenario.THROUGH, JOURNAL, OUTBOX, Figures.RATE)));
    }

    private Optional<Stat> schedule(String mode) {
        return beside(LIMIT, "schedule", mode, Figures.SERVER_CPU);
    }

    private Optional<Stat> drainBeside(String peer) {
        return beside(peer, "drain", "64", Figures.RATE);
    }

    private Optional<Stat> beside(String peer, String scenario, String setting, String figure) {
        return ratio(scenario, setting, CORE, peer, figure);
    }

    private Optional<Stat> ratio(String scenario, String setting, String peer, String base, String figure) {
        return samples.ratio(new Column(scenario, peer, setting), new Column(scenario, base, setting), figure);
    }

    private Optional<Stat> late(String setting, String figure) {
        return samples.stat("lateness", CORE, setting, figure);
    }

    private Optional<Stat> topics(String figure) {
        return samples.stat("topics", CORE, TopicsScenario.THOUSAND, figure);
    }

    /** A figure whose worst round decides. */
    private Optional<Stat> worst(String scenario, String setting, String figure) {
        return samples.stat(scenario, CORE, setting, figure).map(stat -> new Stat(stat.max(), stat.min(), stat.max()));
    }

    private Optional<Stat> idle() {
        return samples.settings("idle", setting -> setting.contains("topics")).stream()
                .flatMap(setting -> samples.stat("idle", CORE, setting, "commandsPerTopicAndProcess").stream())
                .reduce((one, other) -> one.median() >= other.median() ? one : other);
    }

    /** The ratio of two medians of ratios: that of a round would have the noise of four figures. */
    private Optional<Stat> growth(String pending) {
        return beside(LIMIT, "growth", "0", "lifeServerCpu")
                .flatMap(atZero -> beside(LIMIT, "growth", pending, "lifeServerCpu")
                        .map(there -> Stat.of(List.of(there.median() / atZero.median()))));
    }

    private Optional<Stat> memory(int payload) {
        return beside(LIMIT, "growth", GrowthScenario.MEMORY + payload, "bytesPerPending");
    }

    private static Target atMost(double limit, String name, Optional<Stat> figure) {
        return new Target(name, "≤ " + Stat.text(limit), figure, figure.map(stat -> stat.median() <= limit));
    }

    private static Target atLeast(double limit, String name, Optional<Stat> figure) {
        return new Target(name, "≥ " + Stat.text(limit), figure, figure.map(stat -> stat.median() >= limit));
    }

    /**
     * A target and its figure.
     *
     * @param name describes the figure
     * @param limit bound of the figure
     * @param figure median and range of the rounds; empty if it was not measured
     * @param reached whether the median is within the limit
     */
    record Target(String name, String limit, Optional<Stat> figure, Optional<Boolean> reached) {}
}
