package io.delayqueue.benchmarks.scenarios;

import io.delayqueue.benchmarks.WorkerProcess;
import io.delayqueue.benchmarks.worker.Line;
import java.util.List;

/** Drains due messages by worker processes and measures their speed. */
final class Drain {

    private Drain() {}

    /**
     * Consumes these messages of one topic with handlers that do nothing, and stops.
     *
     * @param patienceMillis limit for all of it
     */
    static Outcome of(List<WorkerProcess> consumers, int first, int count, int concurrency, long patienceMillis) {
        return of(Load.TOPIC, consumers, first, count, concurrency, patienceMillis);
    }

    /** The same with messages of another topic. */
    static Outcome of(
            String topic, List<WorkerProcess> consumers, int first, int count, int concurrency, long patienceMillis) {
        consumers.forEach(each -> start(topic, each, 1, first, count, concurrency, false));
        // several share the messages, so none sees them all: only their sum says when to end
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
        start(Load.TOPIC, worker, topics, first, count, concurrency, hold);
    }

    private static void start(
            String topic, WorkerProcess worker, int topics, int first, int count, int concurrency, boolean hold) {
        worker.call(
                "consume",
                "topic",
                topic,
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

        /** Messages a second from the first to the last handler, without the time to start. */
        double rate() {
            return lastMicros > firstMicros ? (count - 1) * 1e6 / (lastMicros - firstMicros) : 0;
        }
    }
}
