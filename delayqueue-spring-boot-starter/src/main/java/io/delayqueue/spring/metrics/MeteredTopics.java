package io.delayqueue.spring.metrics;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Topics with meters of their own: the first ones, up to a maximum, since names generated at run time may be many. The counters
 * and timers of the others are those of one topic, {@value #OTHER}; the others have no gauges.
 */
public final class MeteredTopics {

    /** Value of the tag {@code topic} for topics above the maximum. */
    public static final String OTHER = "other";

    private static final Logger log = LoggerFactory.getLogger(MeteredTopics.class);

    private final int max;
    private final Set<String> topics = ConcurrentHashMap.newKeySet();
    private final ReentrantLock lock = new ReentrantLock();
    private final AtomicBoolean warned = new AtomicBoolean();

    /** At most this many topics with meters of their own, not negative. */
    public MeteredTopics(int max) {
        if (max < 0) {
            throw new IllegalArgumentException("max must not be negative, but is " + max);
        }
        this.max = max;
    }

    /** Whether the topic has meters of its own: from now on, if it is one of the first. */
    boolean add(String topic) {
        if (topics.contains(topic) || addIfFew(topic)) {
            return true;
        }
        if (!warned.getAndSet(true)) {
            log.warn(
                    "{} topics have meters (delayqueue.metrics.max-topics): topic '{}' and further ones count as '{}'",
                    max,
                    topic,
                    OTHER);
        }
        return false;
    }

    private boolean addIfFew(String topic) {
        if (topics.size() >= max) {
            return false;
        }
        lock.lock();
        try {
            return topics.contains(topic) || topics.size() < max && topics.add(topic);
        } finally {
            lock.unlock();
        }
    }
}
