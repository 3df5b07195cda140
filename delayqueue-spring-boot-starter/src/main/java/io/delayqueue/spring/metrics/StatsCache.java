package io.delayqueue.spring.metrics;

import io.delayqueue.TopicStats;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Numbers of all topics, queried in one call and cached for a second, so that a scrape of many gauges costs one call. A
 * failure is cached, too: only one gauge of a scrape waits for a Redis that does not answer.
 */
final class StatsCache {

    private static final Logger log = LoggerFactory.getLogger(StatsCache.class);
    /** Time for which numbers are cached: longer than one scrape takes, shorter than the interval between two. */
    private static final long MAX_AGE_NANOS = Duration.ofSeconds(1).toNanos();

    private final Collection<String> topics;
    private final Function<Collection<String>, Map<String, TopicStats>> query;
    private final ReentrantLock lock = new ReentrantLock();
    private Map<String, TopicStats> stats = Map.of();
    private long queriedAtNanos;
    private boolean queried;
    private boolean failing;

    /**
     * A cache.
     *
     * @param topics the topics to query, read anew for each query
     * @param query asks Redis for their numbers
     */
    StatsCache(Collection<String> topics, Function<Collection<String>, Map<String, TopicStats>> query) {
        this.topics = topics;
        this.query = query;
    }

    /** A topic's numbers, at most a second old; null if Redis does not answer. */
    @Nullable
    TopicStats get(String topic) {
        lock.lock();
        try {
            if (!queried || System.nanoTime() - queriedAtNanos > MAX_AGE_NANOS) {
                refresh();
            }
            return stats.get(topic);
        } finally {
            lock.unlock();
        }
    }

    private void refresh() {
        try {
            stats = Map.copyOf(query.apply(topics));
            failing = false;
        } catch (RuntimeException e) {
            if (!failing) {
                log.warn("Gauges of topics have no value until Redis answers again: {}", e.toString());
            }
            stats = Map.of();
            failing = true;
        }
        queried = true;
        queriedAtNanos = System.nanoTime();
    }
}
