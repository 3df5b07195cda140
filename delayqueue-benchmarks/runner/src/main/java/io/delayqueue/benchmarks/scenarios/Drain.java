package io.delayqueue.benchmarks.scenarios;

import io.delayqueue.benchmarks.WorkerProcess;
import io.delayqueue.benchmarks.servers.Pause;
import io.delayqueue.benchmarks.worker.Line;
import io.delayqueue.benchmarks.worker.Times;
import java.util.Arrays;
import java.util.List;

/** Drains due messages by worker processes and measures their speed. */
final class Drain {

    private Drain() {}

    /**
     * Consumes these messages, and stops.
     *
     * @param patienceMillis limit for all of it
     */
    static Outcome of(Consumption consumption, List<WorkerProcess> consumers, long patienceMillis) {
        consumers.forEach(consumption::startOn);
        List<Line> answers = await(consumers, consumption.count(), patienceMillis);
        consumers.forEach(each -> each.call("stop"));
        return Outcome.of(answers);
    }

    /** Waits until these processes have handled this number of messages together. */
    static List<Line> await(List<WorkerProcess> consumers, int count, long patienceMillis) {
        if (consumers.size() == 1) {
            return List.of(consumers.get(0).call("await", "millis", patienceMillis));
        }
        // several share the messages, so none sees them all: only their sum says when to end
        long deadline = System.nanoTime() + patienceMillis * 1_000_000;
        while (true) {
            List<Line> answers = consumers.stream()
                    .map(each -> each.call("await", "millis", 0))
                    .toList();
            if (Outcome.of(answers).count() >= count || System.nanoTime() - deadline > 0) {
                return answers;
            }
            Pause.millis(50);
        }
    }

    /** When handlers of the messages with these numbers began, of a consumption from 0 on; sorted, in µs since the epoch. */
    static long[] entered(List<WorkerProcess> consumers, int from, int to) {
        return consumers.stream()
                .flatMapToLong(consumer ->
                        Arrays.stream(Times.decode(consumer.call("times").text("entered")), from, to))
                .filter(time -> time > 0)
                .sorted()
                .toArray();
    }

    /** Messages a second from the first of these times to the last. */
    static double rate(long[] micros) {
        return micros.length < 2 ? 0 : (micros.length - 1) * 1e6 / Math.max(1, micros[micros.length - 1] - micros[0]);
    }

    /**
     * The result of a drain.
     *
     * @param count messages handled
     * @param duplicates messages handled more than once by the same process
     * @param firstMicros time of the first handler, since the epoch
     * @param lastMicros time of the last handler, since the epoch
     * @param cpuNanos processor time of the processes
     * @param allocated bytes allocated by the processes
     */
    record Outcome(long count, long duplicates, long firstMicros, long lastMicros, long cpuNanos, long allocated) {

        static Outcome of(List<Line> answers) {
            List<Line> busy = answers.stream()
                    .filter(answer -> answer.number("count") > 0)
                    .toList();
            return new Outcome(
                    sum(answers, "count"),
                    sum(answers, "duplicates"),
                    busy.stream().mapToLong(line -> line.number("first")).min().orElse(0),
                    busy.stream().mapToLong(line -> line.number("last")).max().orElse(0),
                    sum(answers, "cpu"),
                    sum(answers, "allocated"));
        }

        private static long sum(List<Line> answers, String key) {
            return answers.stream().mapToLong(answer -> answer.number(key)).sum();
        }

        /** The number of handled messages; a peer that handled none was not measured. */
        double handled() {
            if (count == 0) {
                throw new IllegalStateException("no message was handled");
            }
            return count;
        }

        /** Messages a second from the first to the last handler, without the time to start. */
        double rate() {
            return lastMicros > firstMicros ? (count - 1) * 1e6 / (lastMicros - firstMicros) : 0;
        }
    }
}
