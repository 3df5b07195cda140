package io.delayqueue.benchmarks.scenarios;

import io.delayqueue.benchmarks.Contestant;
import io.delayqueue.benchmarks.Contestants;
import io.delayqueue.benchmarks.Lab;
import io.delayqueue.benchmarks.Size;
import io.delayqueue.benchmarks.WorkerProcess;
import io.delayqueue.benchmarks.servers.Pause;
import io.delayqueue.benchmarks.servers.Usage;
import io.delayqueue.benchmarks.worker.Line;
import io.delayqueue.benchmarks.worker.WallClock;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The cost of a journal in a database, beside the same library without one, and beside a scheduler that keeps its tasks in the same
 * PostgreSQL. Its parts: scheduling, draining, both at once, relaying, and the time from the commit to Redis.
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
        JournalServers servers = new JournalServers(lab, contestant);
        WorkerProcess worker = lab.worker(contestant);
        servers.flush();
        servers.open(worker);
        Load.of(0, 1_000).batch(100).callOn(worker);
        Usage before = servers.databaseUsage();
        Line answer = Load.of(1_000, Integer.MAX_VALUE / 2)
                .mode(mode)
                .atMost(lab.size().pick(2_000, 300))
                .callOn(worker);
        double count = answer.number("count");
        if (Contestants.isJournal(contestant)) {
            // what it committed has its price later, too
            servers.awaitAccepted(1_000 + answer.number("count"));
        }
        Usage used = servers.databaseUsage().since(before);
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
        JournalServers servers = new JournalServers(lab, contestant);
        int count = Math.min(contestant.drainable(), lab.size().pick(30_000, 1_000));
        List<WorkerProcess> workers = lab.workers(contestant, 2);
        servers.flush();
        servers.open(workers.get(0));
        Load.of(0, count).batch(100).delay(0).callOn(workers.get(0));
        if (Contestants.isJournal(contestant)) {
            servers.awaitAccepted(count);
        }
        workers.get(0).call("close");

        WorkerProcess consumer = workers.get(1);
        servers.open(consumer);
        Usage before = servers.databaseUsage();
        Consumption.of(0, count).startOn(consumer);
        JournalServers.Consumed consumed = servers.awaitConsumed(consumer);
        Usage used = servers.databaseUsage().since(before);
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
        JournalServers servers = new JournalServers(lab, contestant);
        int count = Math.min(contestant.drainable(), lab.size().pick(120_000, 1_000));
        List<WorkerProcess> workers = lab.workers(contestant, 2);
        servers.flush();
        for (WorkerProcess worker : workers) {
            servers.open(worker);
        }
        WorkerProcess consumer = workers.get(1);
        Consumption.of(0, count).startOn(consumer);
        Usage before = servers.databaseUsage();
        long begin = WallClock.micros();
        Line scheduled = Load.of(0, count).batch(100).delay(0).callOn(workers.get(0));
        JournalServers.Consumed consumed = servers.awaitConsumed(consumer);
        Usage used = servers.databaseUsage().since(before);
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

    private void relay(Lab lab, Contestant journal, int round) {
        JournalServers servers = new JournalServers(lab, journal);
        int count = lab.size().pick(100_000, 2_000);
        List<WorkerProcess> workers = lab.workers(journal, 2);
        servers.flush();
        servers.open(workers.get(0), "backlog");
        Load.of(0, count).batch(1_000).callOn(workers.get(0));
        workers.get(0).call("close");
        Pause.millis(1_500); // until a relay may take them

        Usage before = servers.databaseUsage();
        servers.open(workers.get(1));
        long from = servers.awaitAccepted(1);
        long sentBefore = servers.accepted();
        long to = servers.awaitAccepted(count);
        Usage used = servers.databaseUsage().since(before);
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
        JournalServers servers = new JournalServers(lab, journal);
        WorkerProcess worker = lab.worker(journal);
        servers.flush();
        // its first calls are slow, and percentiles are those of all
        servers.open(worker);
        Load.of(0, 2_000).threads(8).callOn(worker);
        worker.call("close");
        servers.flush();
        servers.open(worker);
        Line answer = Load.of(10_000, 100_000)
                .threads(8)
                .pace(10)
                .atMost(lab.size().pick(5_000, 500))
                .callOn(worker);
        servers.awaitAccepted(answer.number("count"));
        Line counters = worker.call("counters");
        worker.call("close");
        long left = counters.number("counter.left");
        if (left > 0) {
            throw new IllegalStateException(left + " changes were left to a relay, so the others' times are too good");
        }
        Map<String, Double> figures = new HashMap<>();
        figures.put(COMMIT_P50, counters.number("counter.commitP50") / 1e3);
        figures.put(COMMIT_P99, counters.number("counter.commitP99") / 1e3);
        figures.put("sent", (double) counters.number("counter.sent"));
        lab.record(name(), journal, COMMIT, round, figures);
    }
}
