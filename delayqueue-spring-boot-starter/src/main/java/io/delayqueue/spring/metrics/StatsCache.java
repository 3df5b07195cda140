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
 * The numbers of all topics, asked for in one call and kept for a second, so that a scrape of many gauges costs one call.
 * A failure is kept as well: of a scrape, one gauge waits for Redis and the others don't.
 */
final class StatsCache {

    private static final Logger log = LoggerFactory.getLogger(StatsCache.class);
    private static final long KEPT_NANOS = Duration.ofSeconds(1).toNanos();

    private final Collection<String> topics;
    private final Function<Collection<String>, Map<String, TopicStats>> ask;
    private final ReentrantLock lock = new ReentrantLock();
    private Map<String, TopicStats> stats = Map.of();
    private long askedAtNanos;
    private boolean asked;
    private boolean failing;

    /**
     * A cache.
     *
     * @param topics the topics to ask for, read at each call
     * @param ask asks Redis
     */
    StatsCache(Collection<String> topics, Function<Collection<String>, Map<String, TopicStats>> ask) {
        this.topics = topics;
        this.ask = ask;
    }

    /** A topic's numbers, at most a second old; null if Redis does not answer. */
    @Nullable
    TopicStats get(String topic) {
        lock.lock();
        try {
            if (!asked || System.nanoTime() - askedAtNanos > KEPT_NANOS) {
                refresh();
            }
            return stats.get(topic);
        } finally {
            lock.unlock();
        }
    }

    private void refresh() {
        try {
            stats = Map.copyOf(ask.apply(topics));
            failing = false;
        } catch (RuntimeException e) {
            if (!failing) {
                log.warn("Gauges of topics have no value: {}", e.toString());
            }
            stats = Map.of();
            failing = true;
        }
        asked = true;
        askedAtNanos = System.nanoTime();
    }
}
