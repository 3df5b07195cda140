package io.delayqueue.benchmarks.report;

import io.delayqueue.benchmarks.report.Section.Table;
import io.delayqueue.benchmarks.scenarios.ClientScenario;
import io.delayqueue.benchmarks.scenarios.Figures;
import io.delayqueue.benchmarks.scenarios.GrowthScenario;
import io.delayqueue.benchmarks.scenarios.IdleScenario;
import io.delayqueue.benchmarks.scenarios.LatenessScenario;
import java.util.List;
import java.util.function.Predicate;

/** What the report consists of. */
final class Sections {

    private static final Predicate<String> RATES = setting -> !setting.equals(LatenessScenario.SILENCE);
    private static final Predicate<String> TRICKLE = IdleScenario.TRICKLE::equals;
    private static final Predicate<String> MEMORY = setting -> setting.startsWith(GrowthScenario.MEMORY);

    private Sections() {}

    static List<Section> all() {
        return List.of(
                new Section(
                        "schedule",
                        "Schedule",
                        "Messages of 100 bytes, due in an hour, scheduled for a second as fast as they are taken. Columns: threads × "
                                + "messages a call. Peers without batches of their own send so many at a time without waiting "
                                + "(polling loop, beanstalkd, Redisson) or one by one.",
                        List.of(
                                Table.of(Figures.RATE, "Messages a second"),
                                Table.of(Figures.SERVER_CPU, "Server CPU, µs a message"),
                                Table.of(
                                        Figures.COMMANDS, "Commands executed a message, those inside scripts included"),
                                Table.of(Figures.CLIENT_CPU, "Client CPU, µs a message"),
                                Table.of(Figures.ALLOCATED, "Client allocation, bytes a message"))),
                new Section(
                        "drain",
                        "Drain",
                        "One process schedules in batches of 100 and disconnects; when everything is due, another one consumes it "
                                + "with handlers that do nothing: 100,000 messages, or as many as a slow peer handles in about ten seconds. The rate counts from the first to the last handler; costs "
                                + "include the acks. Columns: handlers at a time; the limit line claims as many at once, the polling "
                                + "loop has one thread whatever it is told.",
                        List.of(
                                Table.of(Figures.RATE, "Messages a second"),
                                Table.of("lifeServerCpu", "Whole life: server CPU, µs a message, from schedule to ack"),
                                Table.of(Figures.SERVER_CPU, "Of that, consuming: server CPU, µs a message"),
                                Table.of("lifeCommands", "Whole life: commands executed a message"),
                                Table.of(Figures.CLIENT_CPU, "Consumer's CPU, µs a message"),
                                Table.of(Figures.ALLOCATED, "Consumer's allocation, bytes a message"),
                                Table.of("handled", "Messages handled before it ended or was given up")
                                        .withoutRatios())),
                new Section(
                        "lateness",
                        "Lateness",
                        "Open loop: message n is scheduled at start + n ÷ rate, whatever became of the others, and due 2 s later (the "
                                + "single ones after a silence: 1 s); 10 handlers at a time. Late is from the due time to the handler's "
                                + "first line: by the server's clock where it tells the due time, else counted from the "
                                + "return of the schedule call plus the delay, the latest that it can have been, in that peer's favour. To "
                                + "compare all alike, two tables count from the call's return, and from its begin, for everybody. "
                                + "Messages that had not come 3 s after the last was due count with what they were late by then. The "
                                + "schedule calls' own duration, from when each should have begun, is apart. Costs are of the whole "
                                + "run, waiting included.",
                        List.of(
                                Table.of("lateP50", "p50, ms"),
                                Table.of("lateP99", "p99, ms"),
                                Table.of("lateP999", "p99.9, ms").only(RATES),
                                Table.of("lateMax", "Latest of a round, ms"),
                                Table.of(
                                        "lateSinceReturnP99", "p99 since the schedule call's return and the delay, ms"),
                                Table.of("lateSinceCallP99", "p99 since the schedule call's begin and the delay, ms"),
                                Table.of(
                                                "lastQuarterP50",
                                                "p50 of the last quarter, ms: more than p50 if a backlog grows")
                                        .only(RATES)
                                        .withoutRatios(),
                                Table.of("early", "Early, messages").withoutRatios(),
                                Table.of("missing", "Not there 3 s after the last was due, messages")
                                        .withoutRatios(),
                                Table.of("callP50", "Schedule call p50, ms"),
                                Table.of("callP99", "Schedule call p99, ms"),
                                Table.of(Figures.SERVER_CPU, "Server CPU, µs a message")
                                        .only(RATES),
                                Table.of(Figures.COMMANDS, "Commands executed a message")
                                        .only(RATES),
                                Table.of(Figures.SCRIPTS, "Of these, calls of scripts")
                                        .only(RATES),
                                Table.of(Figures.CLIENT_CPU, "Client CPU, µs a message")
                                        .only(RATES))),
                new Section(
                        "idle",
                        "Idle and trickle",
                        "Consumers of 10 handlers on topics without messages, in windows of 5 s (others than this library: 2 s) one after the other. Commands are what "
                                + "clients send, counted by MONITOR. Trickle: 10 messages a second for ten processes; one that is "
                                + "needed anyway is a schedule, a claim and an ack, so what is above 3 is empty claims and wake-ups.",
                        List.of(
                                Table.of("commandsPerTopicAndProcess", "Commands a second, topic and process")
                                        .only(TRICKLE.negate())
                                        .withoutRatios(),
                                Table.of("serverCpuPercent", "Server CPU, % of a core")
                                        .only(TRICKLE.negate())
                                        .withoutRatios(),
                                Table.of("clientCpuPercent", "Clients' CPU, % of a core")
                                        .only(TRICKLE.negate())
                                        .withoutRatios(),
                                Table.of("clientCommands", "Trickle: commands sent a message")
                                        .only(TRICKLE),
                                Table.of(Figures.SERVER_CPU, "Trickle: server CPU, µs a message")
                                        .only(TRICKLE))),
                new Section(
                        "growth",
                        "Growth",
                        "20,000 messages scheduled in batches of 100 and drained at concurrency 64, for 5 s at most, while so many others "
                                + "wait on the same topic for tomorrow. Memory: what the server uses more for each of 50,000 pending "
                                + "messages; the limit line's is one hash field and one sorted set member, for the same ids.",
                        List.of(
                                Table.of("lifeServerCpu", "Whole life: server CPU, µs a message")
                                        .only(MEMORY.negate()),
                                Table.of(Figures.RATE, "Drain, messages a second")
                                        .only(MEMORY.negate()),
                                Table.of("scheduleRate", "Schedule, messages a second")
                                        .only(MEMORY.negate()),
                                Table.of("bytesPerPending", "Memory, bytes a pending message, by payload")
                                        .only(MEMORY))),
                new Section(
                        "crash",
                        "Crash",
                        "100 messages due at once; a consumer has them in hand when it is killed with -9, and another one waits beside it. "
                                + "The lease is 2 s where it can be chosen; in the lines that follow is what came back within "
                                + "6 s. The limit line and the polling loop handle one after the other, so "
                                + "the latter loses what it had removed: one message.",
                        List.of(
                                Table.of("lost", "Not redelivered, of 100 messages")
                                        .withoutRatios(),
                                Table.of("lastAfterMillis", "Last redelivery, ms after the kill")
                                        .withoutRatios())),
                new Section(
                        "scale",
                        "Scale-out",
                        "30,000 messages drained at concurrency 64 in each process; then by one process from three primaries of a local "
                                + "Cluster, by partitions (P). On few cores more processes only share what there is: this shows what "
                                + "sharing costs, not what more machines bring. For these: a server is full at 1,000,000 µs ÷ CPU per "
                                + "message and second, and P partitions spread that over as many nodes as there are, up to P.",
                        List.of(
                                Table.of(Figures.RATE, "Messages a second"),
                                Table.of("lifeServerCpu", "Whole life: server CPU, µs a message, all nodes together"),
                                Table.of(Figures.CLIENT_CPU, "Consumers' CPU, µs a message"))),
                new Section(
                        "client",
                        "The client's own paths",
                        "What the client does for a message of 100 bytes, without connection and server, measured by JMH: each of its "
                                + "iterations of a second is a round. What is done for a hundred at once (replies to claims, "
                                + "scheduleAll) is divided by a hundred.",
                        List.of(
                                Table.of(ClientScenario.NANOS, "ns a message"),
                                Table.of(Figures.ALLOCATED, "Allocation, bytes a message"))));
    }
}
