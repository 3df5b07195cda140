package io.delayqueue.benchmarks.scenarios;

import io.delayqueue.benchmarks.WorkerProcess;
import io.delayqueue.benchmarks.worker.Line;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Stream;

/** A schedule command for a worker process. By default one thread, one message a call, 100 bytes, due in an hour. */
final class Load {

    static final String TOPIC = "orders";

    private static final long AN_HOUR = 3_600_000;

    private final Map<String, Object> values = new LinkedHashMap<>(Map.of(
            "topic", TOPIC, "threads", 1, "batch", 1, "millis", 600_000, "payload", 100, "delay", AN_HOUR, "pace", 0));

    private Load() {}

    /** Schedules messages with these numbers. */
    static Load of(int first, int count) {
        return new Load().with("first", first).with("count", count);
    }

    /** Schedules into another topic than {@link #TOPIC}. */
    Load topic(String topic) {
        return with("topic", topic);
    }

    Load threads(int threads) {
        return with("threads", threads);
    }

    Load batch(int size) {
        return with("batch", size);
    }

    /** Takes threads × messages a call, such as {@code 8x1}. */
    Load mode(String threadsAndBatch) {
        String[] numbers = threadsAndBatch.split("x");
        return threads(Integer.parseInt(numbers[0])).batch(Integer.parseInt(numbers[1]));
    }

    Load payload(int bytes) {
        return with("payload", bytes);
    }

    /** Makes all messages due at this time. */
    Load dueAt(long epochMillis) {
        return with("due", epochMillis);
    }

    /** Makes them due one after the other, the last one this long after the first one. */
    Load spread(long millis) {
        return with("spread", millis);
    }

    /** Ends after this time, even if messages are left. */
    Load atMost(long millis) {
        return with("millis", millis);
    }

    Load delay(long millis) {
        return with("delay", millis);
    }

    /** Makes each thread wait this long between calls. */
    Load pace(long millis) {
        return with("pace", millis);
    }

    private Load with(String key, Object value) {
        values.put(key, value);
        return this;
    }

    Line callOn(WorkerProcess worker) {
        return worker.call("schedule", keysAndValues());
    }

    private Object[] keysAndValues() {
        return values.entrySet().stream()
                .flatMap(entry -> Stream.of(entry.getKey(), entry.getValue()))
                .toArray();
    }
}
