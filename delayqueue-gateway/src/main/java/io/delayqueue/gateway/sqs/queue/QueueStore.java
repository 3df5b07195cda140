package io.delayqueue.gateway.sqs.queue;

import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.core.HashOperations;
import org.springframework.data.redis.core.StringRedisTemplate;

/** Settings of queues by their names, in one hash in Redis. They are read anew after two seconds. Safe for use by several threads. */
public final class QueueStore {

    private static final long FRESH_NANOS = Duration.ofSeconds(2).toNanos();

    /** More names are not kept in memory: a client may make them up. */
    private static final int MAX_CACHED = 10_000;

    private final StringRedisTemplate template;
    private final HashOperations<String, String, String> redis;
    private final String key;
    private final String purgedKeys;
    private final Map<String, Cached> cache = new ConcurrentHashMap<>();

    /**
     * A store.
     *
     * @param keyPrefix prefix of the delay queue's keys
     */
    public QueueStore(StringRedisTemplate redis, String keyPrefix) {
        this.template = redis;
        this.redis = redis.opsForHash();
        this.key = keyPrefix + ":gateway:queues";
        this.purgedKeys = keyPrefix + ":gateway:purged:";
    }

    /** Settings of a queue that was created, or null. */
    @Nullable
    QueueSettings get(String name) {
        Cached cached = cache.get(name);
        if (cached != null && System.nanoTime() - cached.read < FRESH_NANOS) {
            return cached.settings;
        }
        String json = redis.get(key, name);
        QueueSettings settings = json == null ? null : QueueSettings.parse(json);
        if (cache.size() >= MAX_CACHED) {
            cache.clear();
        }
        cache.put(name, new Cached(settings, System.nanoTime()));
        return settings;
    }

    /** Keeps settings of a new queue, unless there are some. */
    boolean create(String name, QueueSettings settings) {
        boolean created = redis.putIfAbsent(key, name, settings.json());
        cache.remove(name);
        return created;
    }

    /** Replaces settings. */
    void put(String name, QueueSettings settings) {
        redis.put(key, name, settings.json());
        cache.remove(name);
    }

    /** Forgets a queue. */
    void delete(String name) {
        redis.delete(key, name);
        cache.remove(name);
    }

    /** Whether no purge of a queue began within this time, by any instance. If so, one begins now. */
    boolean beginPurge(String name, Duration interval) {
        return Boolean.TRUE.equals(template.opsForValue().setIfAbsent(purgedKeys + name, "", interval));
    }

    /** Names of all queues that were created. */
    Set<String> names() {
        return new TreeSet<>(redis.entries(key).keySet());
    }

    private record Cached(@Nullable QueueSettings settings, long read) {}
}
