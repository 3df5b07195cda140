package io.delayqueue.internal.engine;

import io.delayqueue.DelayQueueClosedException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The consumers of a delay queue that are running. */
final class Subscriptions {

    private final Set<TopicSubscription> running = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    void add(TopicSubscription consumer) {
        running.add(consumer);
        // checked after adding: whoever closes meanwhile sees either of the two
        if (closed) {
            running.remove(consumer);
            throw new DelayQueueClosedException(
                    "the delay queue is closed; topic '" + consumer.topic() + "' can't be consumed any more",
                    consumer.topic(),
                    null,
                    null);
        }
    }

    void remove(TopicSubscription consumer) {
        running.remove(consumer);
    }

    void wakeUp(String topic, long waitMicros) {
        for (TopicSubscription consumer : running) {
            if (consumer.topic().equals(topic)) {
                consumer.wakeUp(waitMicros);
            }
        }
    }

    /** Stops all at the same time, and lets none start any more. */
    void close(Duration grace) {
        closed = true;
        List<Thread> stopping = running.stream()
                .map(consumer -> new Thread(() -> consumer.stop(grace), "delayqueue-stop-" + consumer.topic()))
                .toList();
        stopping.forEach(Thread::start);
        boolean interrupted = false;
        for (Thread thread : stopping) {
            while (thread.isAlive()) {
                try {
                    thread.join();
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
