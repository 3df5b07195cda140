package io.delayqueue.benchmarks.report;

import static io.delayqueue.benchmarks.Contestants.BASELINE;
import static io.delayqueue.benchmarks.Contestants.CORE;
import static io.delayqueue.benchmarks.Contestants.LIMIT;

import io.delayqueue.benchmarks.report.SampleTable.Column;
import io.delayqueue.benchmarks.scenarios.DurableScenario;
import io.delayqueue.benchmarks.scenarios.Figures;
import io.delayqueue.benchmarks.scenarios.GrowthScenario;
import io.delayqueue.benchmarks.scenarios.LatenessScenario;
import io.delayqueue.benchmarks.servers.Durability;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** The targets of this library, beside the figures that it reached. The median of the rounds decides. */
final class Targets {

    /** A drain may be a tenth slower than the baseline's: simpler code may cost that much, and no more. */
    private static final double DRAIN_ALLOWANCE = 0.9;

    private static final String RELAXED_DRAIN = DurableScenario.setting(Durability.RELAXED, "drain");

    private final SampleTable samples;

    Targets(SampleTable samples) {
        this.samples = samples;
    }

    List<Target> all() {
        return Stream.concat(fixed().stream(), besideBaseline().stream()).toList();
    }

    /** Only where another version was measured in the same run. */
    private Optional<Target> besideBaseline() {
        return drainBeside(BASELINE)
                .map(ratio -> atLeast(DRAIN_ALLOWANCE, "drain at concurrency 64 ÷ baseline's", Optional.of(ratio)));
    }

    private List<Target> fixed() {
        return List.of(
                atMost(1.25, "schedule in batches of 100: Redis CPU ÷ limit line's", costBesideLimit("1x100")),
                atMost(1.5, "schedule, 8 threads one by one: Redis CPU ÷ limit line's", costBesideLimit("8x1")),
                atMost(
                        1.3,
                        "whole life, batches of 100: Redis CPU ÷ limit line's",
                        beside(LIMIT, "drain", "100", "lifeServerCpu")),
                atLeast(8, "drain at concurrency 64 ÷ Redisson's", drainBeside("redisson")),
                atLeast(50, "drain at concurrency 64 ÷ rqueue's", drainBeside("rqueue")),
                atLeast(1.5, "drain at concurrency 64 ÷ beanstalkd's", drainBeside("beanstalkd")),
                atMost(
                        0.5,
                        "lateness since the call's start at 1,000 msg/s: p50, ms",
                        lateness("1000", "lateSinceCallP50")),
                atMost(
                        1.5,
                        "lateness since the call's start at 1,000 msg/s: p99, ms",
                        lateness("1000", "lateSinceCallP99")),
                atLeast(
                        5,
                        "durable, relaxed: drain at concurrency 64 ÷ db-scheduler's",
                        beside("db-scheduler", "durable", RELAXED_DRAIN, Figures.RATE)),
                atMost(
                        1.5,
                        "durable, relaxed: Redis CPU of a life ÷ limit line's",
                        beside(LIMIT, "durable", RELAXED_DRAIN, Figures.SERVER_CPU)),
                atMost(0, "early at 1,000 msg/s, messages", worst("lateness", "1000", "early")),
                atMost(
                        3,
                        "lateness since the call's start at 5,000 msg/s: p99, ms",
                        lateness("5000", "lateSinceCallP99")),
                atMost(0, "early at 5,000 msg/s, messages", worst("lateness", "5000", "early")),
                atMost(10, "backlog at 5,000 msg/s: p50 of the last quarter, ms", lateness("5000", "lastQuarterP50")),
                atMost(
                        1,
                        "a single message after a silence: latest of the round, ms",
                        lateness(LatenessScenario.SILENCE, "lateMax")),
                atMost(0.25, "idle: commands/s a topic and process, worst setting", idle()),
                atMost(1.1, "Redis CPU of a life ÷ limit line's: at 1,000,000 pending ÷ at 0", growth("1000000")),
                atMost(1.1, "Redis CPU of a life ÷ limit line's: at 10,000,000 pending ÷ at 0", growth("10000000")),
                atMost(1.25, "memory, 100 B: ÷ hash field + sorted set member", memory(100)),
                atMost(1.25, "memory, 1 KiB: ÷ hash field + sorted set member", memory(1024)));
    }

    private Optional<Stat> costBesideLimit(String mode) {
        return beside(LIMIT, "schedule", mode, Figures.SERVER_CPU);
    }

    private Optional<Stat> drainBeside(String peer) {
        return beside(peer, "drain", "64", Figures.RATE);
    }

    private Optional<Stat> beside(String peer, String scenario, String setting, String figure) {
        return samples.ratio(new Column(scenario, CORE, setting), new Column(scenario, peer, setting), figure);
    }

    private Optional<Stat> lateness(String setting, String figure) {
        return samples.stat("lateness", CORE, setting, figure);
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
