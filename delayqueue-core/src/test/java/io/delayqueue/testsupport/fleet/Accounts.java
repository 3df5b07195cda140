package io.delayqueue.testsupport.fleet;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.DelayQueueException;
import io.delayqueue.TopicStats;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/** Checks promise 7 every 20 ms, whatever state the topics are in. */
public final class Accounts implements AutoCloseable {

    private static final long BETWEEN_CHECKS_MS = 20;

    private final DelayQueueClient queue;
    private final Set<String> topics = ConcurrentHashMap.newKeySet();
    private final List<TopicStats> wrong = new CopyOnWriteArrayList<>();
    private final AtomicInteger checks = new AtomicInteger();
    private final RepeatedCheck repeated;

    Accounts(DelayQueueClient queue) {
        this.queue = queue;
        this.repeated = new RepeatedCheck("accounts", BETWEEN_CHECKS_MS, this::check);
    }

    /** Checks this topic, too, from now on. */
    public void watch(String topic) {
        topics.add(topic);
    }

    private boolean check() {
        if (topics.isEmpty()) {
            return false;
        }
        try {
            for (TopicStats stats : queue.stats(topics).values()) {
                checks.incrementAndGet();
                if (stats.unaccounted() != 0) {
                    wrong.add(stats);
                }
            }
            return true;
        } catch (DelayQueueException away) {
            return false;
        }
    }

    /** Fails if a check failed for another reason than that Redis was away, or if checks have come to an end. */
    void requireAlive() {
        repeated.requireAlive();
    }

    /** Number of checks of a topic. */
    public int checks() {
        return checks.get();
    }

    /** Stats whose counters did not add up. */
    public List<TopicStats> wrong() {
        return wrong;
    }

    @Override
    public void close() {
        repeated.close();
    }
}
