package io.delayqueue.benchmarks.scenarios;

import io.delayqueue.benchmarks.Contestant;
import io.delayqueue.benchmarks.Contestants;
import io.delayqueue.benchmarks.Lab;
import io.delayqueue.benchmarks.WorkerProcess;
import io.delayqueue.benchmarks.servers.Pause;
import io.delayqueue.benchmarks.servers.Server;
import io.delayqueue.benchmarks.servers.Servers;
import io.delayqueue.benchmarks.servers.Usage;
import io.delayqueue.benchmarks.worker.Line;
import io.delayqueue.benchmarks.worker.WallClock;
import java.util.concurrent.TimeUnit;

/** Redis and the database of a contestant, with waits until they have what its processes did. */
record JournalServers(Lab lab, Contestant contestant) {

    /** Rows of a process that ended are the relay's after its claim of a second, and a poll. */
    private static final long PATIENCE_NANOS = TimeUnit.MINUTES.toNanos(2);

    /**
     * A consumer that has handled everything, and written what became of it.
     *
     * @param handled at least 1
     */
    record Consumed(double handled, long beginMicros, long endMicros, double cpuNanos) {}

    /** Resources that the database has used. The starter without a journal has none, so that another one's idle server is measured. */
    Usage databaseUsage() {
        return database().usage();
    }

    private Server database() {
        Servers.Kind kind = contestant.server() == Servers.Kind.REDIS ? Servers.Kind.POSTGRESQL : contestant.server();
        return lab.servers().get(kind).orElseThrow();
    }

    void flush() {
        lab.servers().redis().flush();
        database().flush();
    }

    /** Lets a process begin in the contestant's own variant. */
    void open(WorkerProcess process) {
        open(process, contestant.variant());
    }

    void open(WorkerProcess process, String variant) {
        String server = lab.server(contestant).address();
        String address =
                Contestants.isJournal(contestant) ? lab.servers().redis().address() + "," + server : server;
        process.open(address, Lab.LEASE_MILLIS, 1, variant);
    }

    /** Number of messages that Redis has accepted. */
    long accepted() {
        return lab.servers().redis().accepted(Load.TOPIC);
    }

    /** Returns the time, in ns. */
    long awaitAccepted(long count) {
        long begun = System.nanoTime();
        while (accepted() < count) {
            if (System.nanoTime() - begun > PATIENCE_NANOS) {
                throw new IllegalStateException(
                        "Redis has " + accepted() + " of " + count + " messages after two minutes");
            }
            Pause.millis(2);
        }
        return System.nanoTime();
    }

    Consumed awaitConsumed(WorkerProcess consumer) {
        Line answer = consumer.call("await", "millis", 30_000);
        long end = answer.number("last");
        if (contestant.name().equals(Contestants.JOURNAL)) {
            // its memory may hold all of them when the last one was handled
            answer = awaitRecorded(consumer, answer.number("count"));
            end = WallClock.micros();
        }
        return new Consumed(Math.max(1, answer.number("count")), answer.number("first"), end, answer.number("cpu"));
    }

    /** Waits until the audit has written what became of these messages, and returns the consumer's answer then. */
    private Line awaitRecorded(WorkerProcess consumer, long count) {
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
}
