package io.delayqueue.benchmarks.scenarios;

import io.delayqueue.benchmarks.WorkerProcess;
import io.delayqueue.benchmarks.worker.Line;
import java.time.Duration;
import java.util.List;

/**
 * Messages that one process schedules at a steady rate, independent of earlier ones, to the topics of a consumption in turn.
 *
 * @param topic its topic, or the beginning of their names
 * @param topics number of topics
 * @param first the first message's number
 * @param warmUp messages before those that count
 * @param count messages that count
 * @param period from one to the next
 * @param delayMillis from each call to its due time
 */
record SteadyRate(String topic, int topics, int first, int warmUp, int count, Duration period, int delayMillis) {

    private static final int PATIENCE_MILLIS = 3_000;

    /** To one topic, this number a second. */
    static SteadyRate of(int perSecond, int first, int warmUp, int count) {
        return new SteadyRate(
                Load.TOPIC, 1, first, warmUp, count, Duration.ofSeconds(1).dividedBy(perSecond), 1_000);
    }

    SteadyRate topics(int number) {
        return new SteadyRate(topic, number, first, warmUp, count, period, delayMillis);
    }

    SteadyRate of(String other) {
        return new SteadyRate(other, topics, first, warmUp, count, period, delayMillis);
    }

    SteadyRate delay(int millis) {
        return new SteadyRate(topic, topics, first, warmUp, count, period, millis);
    }

    int all() {
        return warmUp + count;
    }

    /** Schedules all, and waits until the calls have returned: not for the messages. */
    Line callOn(WorkerProcess producer) {
        return producer.call(
                "paced",
                "topic",
                topic,
                "topics",
                topics,
                "first",
                first,
                "count",
                all(),
                "payload",
                100,
                "delay",
                delayMillis,
                "period",
                period.toNanos(),
                "patience",
                PATIENCE_MILLIS);
    }

    /** Schedules all with one process, and waits for them to be handled by the others, which consume already. */
    Lateness lateness(WorkerProcess producer, List<WorkerProcess> consumers) {
        Line calls = callOn(producer);
        Drain.await(consumers, all(), delayMillis + PATIENCE_MILLIS);
        return lateness(calls, consumers);
    }

    /** The lateness of the messages of these calls until now. */
    Lateness lateness(Line calls, List<WorkerProcess> consumers) {
        return Lateness.of(
                this, calls, consumers.stream().map(each -> each.call("times")).toList());
    }
}
