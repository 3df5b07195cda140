package io.delayqueue.benchmarks.scenarios;

import io.delayqueue.benchmarks.WorkerProcess;
import io.delayqueue.benchmarks.worker.Line;
import java.util.List;

/** Has processes consume what is due, and tells how fast they were. */
final class Drain {

    private Drain() {}

    /**
     * Consumes these numbers of one topic with handlers that do nothing, and stops.
     *
     * @param patienceMillis when to give up
     */
    static Outcome of(List<WorkerProcess> consumers, int first, int count, int concurrency, long patienceMillis) {
        consumers.forEach(each -> start(each, 1, first, count, concurrency, false));
        // Several share the messages, so none gets them all: the first to be done, or to give up, is not waited for
        // alone.
        List<Line> answers = consumers.size() == 1
                ? List.of(consumers.get(0).call("await", "millis", patienceMillis))
                : awaitTogether(consumers, count, patienceMillis);
        consumers.forEach(each -> each.call("stop"));
        return Outcome.of(answers);
    }

    private static List<Line> awaitTogether(List<WorkerProcess> consumers, int count, long patienceMillis) {
        long deadline = System.nanoTime() + patienceMillis * 1_000_000;
        while (true) {
            List<Line> answers = consumers.stream()
                    .map(each -> each.call("await", "millis", 100))
                    .toList();
            if (Outcome.of(answers).count() >= count || System.nanoTime() - deadline > 0) {
                return answers;
            }
        }
    }

    static void start(WorkerProcess worker, int topics, int first, int count, int concurrency, boolean hold) {
        worker.call(
                "consume",
                "topic",
                Load.TOPIC,
                "topics",
                topics,
                "first",
                first,
                "count",
                count,
                "concurrency",
                concurrency,
                "hold",
                hold);
    }

    /**
     * How it went.
     *
     * @param count handled
     * @param duplicates handled more than once by the same process
     * @param firstMicros when the first was, since the epoch
     * @param lastMicros when the last was
     * @param cpuNanos processor time of the processes
     * @param allocated bytes
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

        /** Messages a second, from the first to the last, so that the time to get started doesn't count. */
        double rate() {
            return lastMicros > firstMicros ? (count - 1) * 1e6 / (lastMicros - firstMicros) : 0;
        }
    }
}
