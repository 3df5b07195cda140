package io.delayqueue.benchmarks.report;

import io.delayqueue.benchmarks.report.Section.Table;
import io.delayqueue.benchmarks.scenarios.BurstScenario;
import io.delayqueue.benchmarks.scenarios.ClientScenario;
import io.delayqueue.benchmarks.scenarios.DurableScenario;
import io.delayqueue.benchmarks.scenarios.Figures;
import io.delayqueue.benchmarks.scenarios.GrowthScenario;
import io.delayqueue.benchmarks.scenarios.JournalScenario;
import io.delayqueue.benchmarks.scenarios.LatenessScenario;
import io.delayqueue.benchmarks.scenarios.ProcessesScenario;
import java.util.List;
import java.util.function.Predicate;

/** The sections of the report. */
final class Sections {

    private static final Predicate<String> RATES = setting -> !setting.equals(LatenessScenario.SILENCE);
    private static final Predicate<String> MANY = setting -> !setting.equals(ProcessesScenario.KILLED);
    private static final Predicate<String> MEMORY = setting -> setting.startsWith(GrowthScenario.MEMORY);

    private Sections() {}

    static List<Section> all() {
        return List.of(
                new Section(
                        "schedule",
                        "Schedule",
                        "Messages of 100 bytes, due in an hour, scheduled for one second as fast as the peer accepts them. Columns: "
                                + "threads × messages a call. Peers without batches pipeline the messages of a call (polling "
                                + "loop, beanstalkd, Redisson), send them ten by ten (ElasticMQ) or one by one (rqueue).",
                        List.of(
                                Table.of(Figures.RATE, "Messages a second"),
                                Table.of(Figures.SERVER_CPU, "Server CPU, µs a message"),
                                Table.of(Figures.CLIENT_CPU, "Client CPU, µs a message"))),
                new Section(
                        "drain",
                        "Drain",
                        "One process schedules in batches of 100 and disconnects. When all messages are due, another one consumes them "
                                + "with handlers that do nothing: 100,000 messages, or as many as a slow peer handles in about ten "
                                + "seconds. The rate is from the first to the last handler; costs include the acks. Columns: "
                                + "concurrency. The limit line claims as many messages at once, 100 at least; the polling loop always "
                                + "has one thread.",
                        List.of(
                                Table.of(Figures.RATE, "Messages a second"),
                                Table.of("lifeServerCpu", "Whole life: server CPU, µs a message, from schedule to ack"),
                                Table.of(Figures.CLIENT_CPU, "Consumer's CPU, µs a message"),
                                Table.of("handled", "Messages handled before the end or the time limit")
                                        .withoutRatios())),
                new Section(
                        "durable",
                        "Durable",
                        "The same with servers that write to disk. Relaxed: Redis with appendonly and appendfsync everysec, PostgreSQL "
                                + "without synchronous_commit, beanstalkd with a log that is synced each second. Strict: appendfsync "
                                + "always, synchronous_commit, and a sync for each write: there a call waits for the disk (1x1), unless "
                                + "those of several callers are written together (8x1, 64x1, 1x100). Messages of 100 bytes. Schedule: "
                                + "threads × "
                                + "messages a call, for one second. Drain: messages that are due, scheduled in batches of 100 by the same "
                                + "process, with 64 handlers at a time that do nothing, so Redisson has moved them to the queue that "
                                + "consumers read before the measurement begins; in the section before, it does so meanwhile. "
                                + "Server CPU and bytes "
                                + "are those of the whole life. The append-only file is not rewritten meanwhile.",
                        List.of(
                                Table.of(Figures.RATE, "Messages a second"),
                                Table.of(Figures.SERVER_CPU, "Server CPU, µs a message"),
                                Table.of(DurableScenario.WRITTEN, "Bytes written to disk a message"))),
                new Section(
                        "lateness",
                        "Lateness",
                        "Open loop: message n is scheduled at start + n ÷ rate, independent of earlier messages, and due 2 s later "
                                + "(single messages after a silence: 1 s). The first fifth is not counted. Concurrency 10. Lateness ends "
                                + "at the handler's first line. It is counted twice, for all peers alike: since the begin of the schedule "
                                + "call and the delay, and since its return and the delay. A percentile is given of a sample that has it: "
                                + "p99 from 100 messages on. A message that is missing 3 s after the last due time "
                                + "counts with its lateness at that moment. The duration of a schedule call is from its planned start. "
                                + "Costs are of the whole run, waiting included.",
                        List.of(
                                Table.of(Figures.SINCE_CALL + "P50", "Since the call's begin: p50, ms"),
                                Table.of(Figures.SINCE_CALL + "P99", "Since the call's begin: p99, ms"),
                                Table.of(Figures.SINCE_CALL + "Max", "Since the call's begin: latest of a round, ms"),
                                Table.of(Figures.SINCE_RETURN + "P50", "Since the call's return: p50, ms"),
                                Table.of(Figures.SINCE_RETURN + "P99", "Since the call's return: p99, ms"),
                                Table.of(
                                        Figures.SINCE_RETURN + "Max", "Since the call's return: latest of a round, ms"),
                                Table.of("early", "Early, messages").withoutRatios(),
                                Table.of("missing", "Missing 3 s after the last due time, messages")
                                        .withoutRatios(),
                                Table.of("callP99", "Schedule call p99, ms"),
                                Table.of(LatenessScenario.STOLEN, "Both processors together waited for a real one, ms")
                                        .withoutRatios(),
                                Table.of(Figures.SERVER_CPU, "Server CPU, µs a message")
                                        .only(RATES),
                                Table.of(Figures.CLIENT_CPU, "Client CPU, µs a message")
                                        .only(RATES))),
                new Section(
                        "idle",
                        "Idle",
                        "Consumers with concurrency 10 on topics without messages, in a window of 5 s a round (other peers: 2 s, in "
                                + "which a command that is sent each 5 s, as BullMQ's is, need not show). "
                                + "Commands are those that clients send, counted by MONITOR.",
                        List.of(
                                Table.of("commandsPerTopicAndProcess", "Commands a second, topic and process")
                                        .withoutRatios(),
                                Table.of("serverCpuPercent", "Server CPU, % of a core")
                                        .withoutRatios(),
                                Table.of("clientCpuPercent", "Clients' CPU, % of a core")
                                        .withoutRatios())),
                new Section(
                                "topics",
                                "A thousand topics",
                                "One process that consumes that many topics × partitions with concurrency 10 each. Threads, connections "
                                        + "and "
                                        + "heap are those that the process has more than before it connected. Then it is idle for 10 s; "
                                        + "then it schedules one message a second to each topic, due in 2 s, for 13 s, of which the last "
                                        + "10 "
                                        + "count; then another process schedules 50,000 to one of the topics while the others are idle.",
                                List.of(
                                        Table.of("threads", "Threads, those of Lettuce included: idle"),
                                        Table.of("threadsAtRate", "Threads, after a message a second on each"),
                                        Table.of("connections", "Connections"),
                                        Table.of("heapPerTopic", "Heap, bytes a topic"),
                                        Table.of("startMillis", "Start of all subscriptions, ms"),
                                        Table.of("stopMillis", "Stop, ms"),
                                        Table.of("commandsPerTopicAndProcess", "Idle: commands a second and topic"),
                                        Table.of("serverCpuPercent", "Idle: Redis CPU, % of a core"),
                                        Table.of("clientCpuPercent", "Idle: client CPU, % of a core"),
                                        Table.of(
                                                Figures.SINCE_CALL + "P50",
                                                "A message a second on each: p50 since the call's begin, ms"),
                                        Table.of(Figures.SINCE_CALL + "P99", "p99 since the call's begin, ms"),
                                        Table.of(Figures.SINCE_RETURN + "P50", "p50 since the call's return, ms"),
                                        Table.of(Figures.SINCE_RETURN + "P99", "p99 since the call's return, ms"),
                                        Table.of(Figures.SERVER_CPU, "Redis CPU, µs a message"),
                                        Table.of("busyRate", "One busy topic: messages a second")))
                        .withFiguresAsRows(),
                new Section(
                                "processes",
                                "Ten processes",
                                "Ten processes wait for messages of one topic, concurrency 10; another one schedules them at this rate, "
                                        + "each "
                                        + "due 1 s later. Commands are those that clients send, counted by MONITOR; script calls are the "
                                        + "server's count. A message needs three calls: schedule, claim, ack. All but one killed: nine "
                                        + "of the ten are killed with -9 at the same moment, 400 ms before the second of two messages is "
                                        + "due. The first was due half a second before it, so the ten rely on one of them for the second; "
                                        + "one such message a round.",
                                List.of(
                                        Table.of(Figures.SCRIPTS, "Script calls a message"),
                                        Table.of("emptyClaims", "Claims that found nothing, a message"),
                                        Table.of("clientCommands", "Commands sent a message"),
                                        Table.of(Figures.SERVER_CPU, "Server CPU, µs a message"),
                                        Table.of(Figures.SINCE_CALL + "P50", "p50 since the call's begin, ms")
                                                .only(MANY),
                                        Table.of(Figures.SINCE_CALL + "P99", "p99 since the call's begin, ms")
                                                .only(MANY),
                                        Table.of(Figures.SINCE_CALL + "Max", "Latest since the call's begin, ms"),
                                        Table.of(Figures.SINCE_RETURN + "P50", "p50 since the call's return, ms")
                                                .only(MANY),
                                        Table.of(Figures.SINCE_RETURN + "P99", "p99 since the call's return, ms")
                                                .only(MANY),
                                        Table.of(Figures.SINCE_RETURN + "Max", "Latest since the call's return, ms"),
                                        Table.of("missing", "Missing 10 s after it was due, messages")
                                                .only(ProcessesScenario.KILLED::equals)))
                        .withFiguresAsRows(),
                new Section(
                                "burst",
                                "Burst",
                                "200,000 messages of one topic become due evenly within one second, for four processes with concurrency 64 "
                                        + "whose handlers wait 5 ms: so 51,200 messages a second are the most. Meanwhile the same "
                                        + "processes "
                                        + "get 100 messages a second of a second topic, for 6 s from the first due time on.",
                                List.of(
                                        Table.of(BurstScenario.RATE, "Burst: messages a second, first to last handler"),
                                        Table.of(BurstScenario.LAST, "Burst: last handler, ms after the last due time"),
                                        Table.of(
                                                Figures.SERVER_CPU, "Server CPU, µs a message, with its schedule call"),
                                        Table.of(Figures.CLIENT_CPU, "Consumers' CPU, µs a message"),
                                        Table.of(
                                                Figures.SINCE_CALL + "P50",
                                                "Second topic: p50 since the call's begin, ms"),
                                        Table.of(
                                                Figures.SINCE_CALL + "P99",
                                                "Second topic: p99 since the call's begin, ms"),
                                        Table.of(
                                                Figures.SINCE_RETURN + "P50",
                                                "Second topic: p50 since the call's return, ms"),
                                        Table.of(
                                                Figures.SINCE_RETURN + "P99",
                                                "Second topic: p99 since the call's return, ms"),
                                        Table.of("handled", "Messages of both handled before the time limit")))
                        .withFiguresAsRows(),
                new Section(
                        "growth",
                        "Growth",
                        "20,000 messages scheduled in batches of 100 and drained at concurrency 64, for 5 s at most; with Redisson, 2,000 "
                                + "where others are pending. Columns: other messages pending on the same topic, due tomorrow; each round "
                                + "goes through all sizes. A server holds all sizes at once, each on a topic of its own. "
                                + "Memory: the server's growth for each of 50,000 pending messages; "
                                + "the limit line stores one hash field and one sorted set member, with the same ids.",
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
                        "100 messages are in flight in a consumer when it is killed with -9; another consumer runs beside it. "
                                + "The lease is 2 s where it can be chosen. The tables count redeliveries within 6 s. The limit line and "
                                + "the polling loop handle one message at a time, so the latter loses the one that it had removed. The "
                                + "limit line and plain pipelining renew no lease: theirs end about when the kill comes, so their times "
                                + "tell little.",
                        List.of(
                                Table.of("lost", "Not redelivered, of 100 messages")
                                        .withoutRatios(),
                                Table.of("lastAfterMillis", "Last redelivery, ms after the kill")
                                        .withoutRatios())),
                new Section(
                        "scale",
                        "Scale-out",
                        "30,000 messages drained at concurrency 64 in each process; then by one process from three primaries of a local "
                                + "Cluster, by partitions (P). On few cores, more processes share the same CPU: this shows the cost of "
                                + "sharing, not the gain of more machines. For that: a server is at its limit at 1,000,000 µs ÷ CPU "
                                + "messages a second, and P partitions spread that over up to P nodes.",
                        List.of(
                                Table.of(Figures.RATE, "Messages a second"),
                                Table.of("lifeServerCpu", "Whole life: server CPU, µs a message, all nodes together"),
                                Table.of(Figures.CLIENT_CPU, "Consumers' CPU, µs a message"))),
                new Section(
                        "payload",
                        "Payloads through the starter",
                        "Objects of about this number of bytes as JSON, scheduled in batches of 100 by one process and handled by "
                                + "another one "
                                + "with 64 handlers at a time that do nothing. The core takes as many bytes without JSON. A JDK from 21 on "
                                + "has virtual threads, and is compared with itself without them.",
                        List.of(
                                Table.of(Figures.RATE, "Drain, messages a second"),
                                Table.of(Figures.CLIENT_CPU, "Whole life: client CPU, µs a message"),
                                Table.of("drainClientCpu", "Of that, consuming, µs a message"),
                                Table.of(
                                        Figures.ALLOCATED,
                                        "Whole life: client allocation by live threads, bytes a message"))),
                new Section(
                        "journal",
                        "The journal",
                        "Messages of 100 bytes. Schedule: for two seconds as fast as calls return, each in a transaction of its own that "
                                + "has been committed then; columns: threads × messages a call. Drain: messages that are due, "
                                + "scheduled in batches of 100 by another process, with 64 handlers at a time that do nothing; with the "
                                + "audit, until it has written what became of them. Through: one process schedules in batches of 100 what "
                                + "is due at once, another one handles it meanwhile, as in drain; from the first call to the end. Relay: "
                                + "rows that a process committed and never sent, sent by another one; from the first to the last message "
                                + "in Redis. From the commit to Redis: 8 threads make 100 calls a second each. In MariaDB: the relay only. "
                                + "The starter without a "
                                + "journal has no transaction, and Redis keeps its messages in memory only.",
                        List.of(
                                Table.of(Figures.RATE, "Messages a second").withoutRatios(),
                                Table.of(Figures.CLIENT_CPU, "Client CPU, µs a message")
                                        .withoutRatios(),
                                Table.of(JournalScenario.DATABASE_CPU, "The database's CPU, µs a message")
                                        .withoutRatios(),
                                Table.of(JournalScenario.COMMIT_P50, "From the commit to Redis: p50, ms")
                                        .withoutRatios(),
                                Table.of(JournalScenario.COMMIT_P99, "From the commit to Redis: p99, ms")
                                        .withoutRatios())),
                new Section(
                        "client",
                        "The client's own paths",
                        "The client's work for a message of 100 bytes, without connection and server, measured by JMH. Each iteration of "
                                + "one second is a round. Work for a hundred messages at once (replies to claims, scheduleAll) is "
                                + "divided by a hundred.",
                        List.of(
                                Table.of(ClientScenario.NANOS, "ns a message"),
                                Table.of(Figures.ALLOCATED, "Allocation, bytes a message"))));
    }
}
