package io.delayqueue.benchmarks.scenarios;

import io.delayqueue.benchmarks.WorkerProcess;

/**
 * A consume command for a worker process.
 *
 * @param topic its topic, or the beginning of their names
 * @param topics number of topics; they are named {@code topic-0} and so on if there is more than one
 * @param first the least number of the expected messages
 * @param count expected messages
 * @param concurrency handlers at a time, for each topic
 * @param handler what it does: {@code nothing}, {@code hold} for ever, or wait this number of ms
 */
record Consumption(String topic, int topics, int first, int count, int concurrency, String handler) {

    /** Consumes messages of one topic with 64 handlers at a time that do nothing. */
    static Consumption of(int first, int count) {
        return new Consumption(Load.TOPIC, 1, first, count, 64, "nothing");
    }

    Consumption of(String other) {
        return new Consumption(other, topics, first, count, concurrency, handler);
    }

    Consumption topics(int number) {
        return new Consumption(topic, number, first, count, concurrency, handler);
    }

    Consumption concurrency(int handlers) {
        return new Consumption(topic, topics, first, count, handlers, handler);
    }

    Consumption handler(String work) {
        return new Consumption(topic, topics, first, count, concurrency, work);
    }

    /** The name of one of its topics. */
    String topic(int index) {
        return topics == 1 ? topic : topic + "-" + index;
    }

    void startOn(WorkerProcess worker) {
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
                "handler",
                handler);
    }
}
