package io.delayqueue.benchmarks.scenarios;

import io.delayqueue.benchmarks.Contestant;
import io.delayqueue.benchmarks.Contestants;
import io.delayqueue.benchmarks.Lab;
import io.delayqueue.benchmarks.Size;
import io.delayqueue.benchmarks.WorkerProcess;
import io.delayqueue.benchmarks.servers.Pause;
import io.delayqueue.benchmarks.servers.Server;
import io.delayqueue.benchmarks.servers.Servers;
import io.delayqueue.benchmarks.servers.Usage;
import io.delayqueue.benchmarks.worker.Line;
import io.delayqueue.benchmarks.worker.WallClock;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * The cost of a journal in a database, beside the same library without one, and beside a scheduler that keeps its tasks in the same
 * PostgreSQL: scheduling, draining, both at once, relaying, and the time from the commit to Redis.
 */
public final class JournalScenario implements Scenario {

    /** CPU of the database, µs a message. */
    public static final String DATABASE_CPU = "databaseCpu";

    /** ms from the commit until Redis has answered. */
    public static final String COMMIT_P50 = "commitP50";

    /** The same of the slowest hundredth. */
    public static final String COMMIT_P99 = "commitP99";

    private static final List<String> MODES = List.of("1x1", "8x1", "1x100");
    private static final String DRAIN = "drain";
    /** The setting of scheduling and handling at once. */
    public static final String THROUGH = "through";

    /** The setting of rows that another process committed. */
    public static final String RELAY = "relay";

    /** The setting of the time from the commit to Redis. */
    public static final String COMMIT = "commit";

    /** Rows of a process that ended are the relay's after its claim of a second, and a poll. */
    private static final long PATIENCE_NANOS = TimeUnit.MINUTES.toNanos(2);

    @Override
    public String name() {
        return "journal";
    }

    /** MariaDB's relay only: the database decides how fast that is. */
    private static List<Contestant> participants(Lab lab) {
        return lab.contestants(
                Contestants.STARTER, Contestants.JOURNAL, Contestants.OUTBOX, Contestants.MARIADB, "db-scheduler");
    }

    @Override
    public Duration estimate(Lab lab) {
        long seconds = lab.size().pick(25, 3);
        return Duration.ofSeconds(seconds * participants(lab).size() * lab.allRounds());
    }

    @Override
    public void run(Lab lab) {
        lab.forEachRound(participants(lab), (contestant, round) -> {
            if (contestant.name().equals(Contestants.MARIADB)) {
                if (lab.isChosen(RELAY)) {
                    relay(lab, contestant, round);
                }
                return;
            }
            // in a smoke, "through" shows that the others schedule
            if (lab.size() == Size.FULL || contestant.name().equals(Contestants.JOURNAL)) {
                for (String mode : lab.chosen(lab.size().pick(MODES, List.of("1x100")))) {
                    schedule(lab, contestant, mode, round);
                }
            }
            if (lab.size() == Size.FULL && lab.isChosen(DRAIN)) { // a smoke has "through", which does the same
                drain(lab, contestant, round);
            }
            if (lab.isChosen(THROUGH)) {
                through(lab, contestant, round);
            }
            if (contestant.name().equals(Contestants.JOURNAL) && lab.isChosen(RELAY)) {
                relay(lab, contestant, round);
            }
            if (contestant.name().equals(Contestants.JOURNAL) && lab.isChosen(COMMIT)) {
                commitToRedis(lab, contestant, round);
            }
        });
    }

    private void schedule(Lab lab, Contestant contestant, String mode, int round) {
        String[] threadsAndBatch = mode.split("x");
        WorkerProcess worker = lab.worker(contestant);
        flush(lab, contestant);
        open(lab, contestant, worker, contestant.variant());
        Load.of(0, 1_000).batch(100).callOn(worker);
        Usage before = database(lab, contestant).usage();
        Line answer = Load.of(1_000, Integer.MAX_VALUE / 2)
                .threads(Integer.parseInt(threadsAndBatch[0]))
                .batch(Integer.parseInt(threadsAndBatch[1]))
                .atMost(lab.size().pick(2_000, 300))
                .callOn(worker);
        double count = answer.number("count");
        if (Contestants.isJournal(contestant)) {
            // what it committed has its price later, too
            awaitAccepted(lab, 1_000 + answer.number("count"));
        }
        Usage used = database(lab, contestant).usage().since(before);
        worker.call("close");
        lab.record(
                name(),
                contestant,
                mode,
                round,
                Map.of(
                        Figures.RATE,
                        count / (answer.number("nanos") / 1e9),
                        Figures.CLIENT_CPU,
                        answer.number("cpu") / 1e3 / count,
                        DATABASE_CPU,
                        used.cpuMicros() / count));
    }

    private void drain(Lab lab, Contestant contestant, int round) {
        int count = Math.min(contestant.drainable(), lab.size().pick(30_000, 1_000));
        List<WorkerProcess> workers = lab.workers(contestant, 2);
        flush(lab, contestant);
        open(lab, contestant, workers.get(0), contestant.variant());
        Load.of(0, count).batch(100).delay(0).callOn(workers.get(0));
        if (Contestants.isJournal(contestant)) {
            awaitAccepted(lab, count);
        }
        workers.get(0).call("close");

        WorkerProcess consumer = workers.get(1);
        open(lab, contestant, consumer, contestant.variant());
        Usage before = database(lab, contestant).usage();
        Consumption.of(0, count).startOn(consumer);
        Consumed consumed = consumed(lab, contestant, consumer);
        Usage used = database(lab, contestant).usage().since(before);
        consumer.call("stop");
        consumer.call("close");
        double handled = consumed.handled();
        lab.record(
                name(),
                contestant,
                DRAIN,
                round,
                Map.of(
                        Figures.RATE,
                        (handled - 1) * 1e6 / Math.max(1, consumed.endMicros() - consumed.beginMicros()),
                        Figures.CLIENT_CPU,
                        consumed.cpuNanos() / 1e3 / handled,
                        DATABASE_CPU,
                        used.cpuMicros() / handled,
                        "handled",
                        handled));
    }

    private void through(Lab lab, Contestant contestant, int round) {
        int count = Math.min(contestant.drainable(), lab.size().pick(60_000, 1_000));
        List<WorkerProcess> workers = lab.workers(contestant, 2);
        flush(lab, contestant);
        for (WorkerProcess worker : workers) {
            open(lab, contestant, worker, contestant.variant());
        }
        WorkerProcess consumer = workers.get(1);
        Consumption.of(0, count).startOn(consumer);
        Usage before = database(lab, contestant).usage();
        long begin = WallClock.micros();
        Line scheduled = Load.of(0, count).batch(100).delay(0).callOn(workers.get(0));
        Consumed consumed = consumed(lab, contestant, consumer);
        Usage used = database(lab, contestant).usage().since(before);
        consumer.call("stop");
        workers.forEach(worker -> worker.call("close"));
        double handled = consumed.handled();
        lab.record(
                name(),
                contestant,
                THROUGH,
                round,
                Map.of(
                        Figures.RATE,
                        handled * 1e6 / Math.max(1, consumed.endMicros() - begin),
                        Figures.CLIENT_CPU,
                        (consumed.cpuNanos() + scheduled.number("cpu")) / 1e3 / handled,
                        DATABASE_CPU,
                        used.cpuMicros() / handled,
                        "handled",
                        handled));
    }

    /**
     * A consumer that has handled everything, and written what became of it.
     *
     * @param handled at least 1
     */
    private record Consumed(double handled, long beginMicros, long endMicros, double cpuNanos) {}

    private static Consumed consumed(Lab lab, Contestant contestant, WorkerProcess consumer) {
        Line answer = consumer.call("await", "millis", 30_000);
        long end = answer.number("last");
        if (contestant.name().equals(Contestants.JOURNAL)) {
            // its memory may hold all of them when the last one was handled
            answer = awaitRecorded(lab, consumer, answer.number("count"));
            end = WallClock.micros();
        }
        return new Consumed(Math.max(1, answer.number("count")), answer.number("first"), end, answer.number("cpu"));
    }

    private void relay(Lab lab, Contestant journal, int round) {
        int count = lab.size().pick(100_000, 2_000);
        List<WorkerProcess> workers = lab.workers(journal, 2);
        flush(lab, journal);
        open(lab, journal, workers.get(0), "backlog");
        Load.of(0, count).batch(1_000).callOn(workers.get(0));
        workers.get(0).call("close");
        Pause.millis(1_500); // until a relay may take them

        Usage before = database(lab, journal).usage();
        open(lab, journal, workers.get(1), journal.variant());
        long from = awaitAccepted(lab, 1);
        long sentBefore = lab.servers().redis().accepted(Load.TOPIC);
        long to = awaitAccepted(lab, count);
        Usage used = database(lab, journal).usage().since(before);
        workers.get(1).call("close");
        lab.record(
                name(),
                journal,
                RELAY,
                round,
                Map.of(
                        Figures.RATE,
                        (count - sentBefore) / (Math.max(1, to - from) / 1e9),
                        DATABASE_CPU,
                        used.cpuMicros() / count));
    }

    private void commitToRedis(Lab lab, Contestant journal, int round) {
        WorkerProcess worker = lab.worker(journal);
        flush(lab, journal);
        // its first calls are slow, and percentiles are those of all
        open(lab, journal, worker, journal.variant());
        Load.of(0, 2_000).threads(8).callOn(worker);
        worker.call("close");
        flush(lab, journal);
        open(lab, journal, worker, journal.variant());
        Line answer = Load.of(10_000, 100_000)
                .threads(8)
                .pace(10)
                .atMost(lab.size().pick(5_000, 500))
                .callOn(worker);
        awaitAccepted(lab, answer.number("count"));
        Line counters = worker.call("counters");
        worker.call("close");
        Map<String, Double> figures = new HashMap<>();
        figures.put(COMMIT_P50, counters.number("counter.commitP50") / 1e3);
        figures.put(COMMIT_P99, counters.number("counter.commitP99") / 1e3);
        figures.put("sent", (double) counters.number("counter.sent"));
        lab.record(name(), journal, COMMIT, round, figures);
    }

    /** Waits until the audit has written what became of these messages, and returns the consumer's answer then. */
    private static Line awaitRecorded(Lab lab, WorkerProcess consumer, long count) {
        long begun = System.nanoTime();
        while (true) {
            // first: the acks of handled messages become events
            boolean acked = lab.servers().redis().acked(Load.TOPIC) >= count;
            Line answer = consumer.call("await", "millis", 0);
            if (acked && answer.number("counter.unrecorded") == 0) {
                return answer;
            }
            if (System.nanoTime() - begun > PATIENCE_NANOS) {
                throw new IllegalStateException(
                        answer.number("counter.unrecorded") + " events are not written after two minutes");
            }
            Pause.millis(10);
        }
    }

    /** Returns the time, in ns. */
    private static long awaitAccepted(Lab lab, long count) {
        long begun = System.nanoTime();
        while (lab.servers().redis().accepted(Load.TOPIC) < count) {
            if (System.nanoTime() - begun > PATIENCE_NANOS) {
                throw new IllegalStateException("Redis has "
                        + lab.servers().redis().accepted(Load.TOPIC) + " of " + count + " messages after two minutes");
            }
            Pause.millis(2);
        }
        return System.nanoTime();
    }

    /** The starter without a journal has none, so that another one's idle server is measured. */
    private static Server database(Lab lab, Contestant contestant) {
        Servers.Kind kind = contestant.server() == Servers.Kind.REDIS ? Servers.Kind.POSTGRESQL : contestant.server();
        return lab.servers().get(kind).orElseThrow();
    }

    private static void flush(Lab lab, Contestant contestant) {
        lab.servers().redis().flush();
        database(lab, contestant).flush();
    }

    private static void open(Lab lab, Contestant contestant, WorkerProcess process, String variant) {
        boolean both = Contestants.isJournal(contestant);
        String server = lab.server(contestant).address();
        String address = both ? lab.servers().redis().address() + "," + server : server;
        process.open(address, Lab.LEASE_MILLIS, 1, variant);
    }
}
