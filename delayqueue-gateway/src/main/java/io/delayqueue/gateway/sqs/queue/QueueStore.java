package io.delayqueue.gateway.sqs.queue;

import io.delayqueue.gateway.sqs.protocol.SqsErrors;
import io.delayqueue.gateway.sqs.protocol.SqsException;
import io.delayqueue.gateway.sqs.redis.BoundedRedis;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.io.ClassPathResource;
import org.springframework.data.redis.core.script.RedisScript;

/**
 * Settings of queues by their names, in one hash in Redis, and of each key the names of those it created. Settings are read anew after two
 * seconds; while Redis does not answer, the former ones count. Safe for use by several threads.
 */
public final class QueueStore {

    private static final Logger log = LoggerFactory.getLogger(QueueStore.class);
    private static final long FRESH_NANOS = Duration.ofSeconds(2).toNanos();

    /** More names are not kept in memory: a client may make them up. */
    private static final int MAX_CACHED = 10_000;

    /** Of as many changes of one queue at once, one succeeds at each try. */
    private static final int MAX_TRIES = 50;

    /** Short: a purge whose begin Redis took too late for an answer does not go on, and its repetition must not wait for long. */
    private static final Duration PURGE_BEGINS = Duration.ofSeconds(5);

    private final BoundedRedis redis;
    private final String key;

    /** By this class' loader: that of the thread may be one of an application that ended. */
    private final RedisScript<Long> replace = RedisScript.of(
            new ClassPathResource("/io/delayqueue/gateway/sqs/replace_field.lua", QueueStore.class), Long.class);

    private final Map<String, Cached> cache = new ConcurrentHashMap<>();

    /** A store in this Redis. */
    public QueueStore(BoundedRedis redis) {
        this.redis = redis;
        this.key = redis.key("queues");
    }

    /** Settings of a queue that was created, or null. */
    @Nullable
    QueueSettings get(String name) {
        Cached cached = cache.get(name);
        if (cached != null && System.nanoTime() - cached.read < FRESH_NANOS) {
            return cached.settings;
        }
        try {
            return keep(name, parse(read(name)));
        } catch (SqsException e) {
            if (cached == null) {
                throw e;
            }
            // sends may go on where a journal takes them
            return keep(name, cached.settings);
        }
    }

    /** Whether {@link #get} waits for nothing now. */
    boolean isFresh(String name) {
        Cached cached = cache.get(name);
        return cached != null && System.nanoTime() - cached.read < FRESH_NANOS;
    }

    /** Has the settings that were read before count for two more seconds. False if none were. */
    boolean keepFormer(String name) {
        Cached cached = cache.get(name);
        if (cached != null) {
            keep(name, cached.settings);
        }
        return cached != null;
    }

    /** As {@link #get}, with the changes of the last two seconds. */
    @Nullable
    QueueSettings readNow(String name) {
        return keep(name, parse(read(name)));
    }

    private @Nullable QueueSettings keep(String name, @Nullable QueueSettings settings) {
        if (cache.size() >= MAX_CACHED) {
            cache.clear();
        }
        cache.put(name, new Cached(settings, System.nanoTime()));
        return settings;
    }

    private @Nullable String read(String name) {
        return redis.await(r -> r.<String, String>opsForHash().get(key, name));
    }

    private static @Nullable QueueSettings parse(@Nullable String json) {
        return json == null ? null : QueueSettings.parse(json);
    }

    /** Keeps settings of a new queue, unless there are some. */
    boolean create(String name, QueueSettings settings) {
        boolean created = Boolean.TRUE.equals(
                redis.await(r -> r.<String, String>opsForHash().putIfAbsent(key, name, settings.json())));
        cache.remove(name);
        return created;
    }

    /** Changes the settings of a queue, which need not be kept yet. No change of another client is lost. */
    void update(String name, UnaryOperator<QueueSettings> change) {
        for (int i = 0; i < MAX_TRIES; i++) {
            String read = read(name);
            QueueSettings settings = read == null ? QueueSettings.NONE : QueueSettings.parse(read);
            List<String> arguments = List.of(
                    name,
                    read == null ? "-" : "=" + read,
                    change.apply(settings).json());
            Long replaced =
                    redis.await(r -> r.execute(replace, List.of(key), arguments).next());
            cache.remove(name);
            if (replaced != null && replaced == 1) {
                return;
            }
        }
        throw SqsErrors.unavailable();
    }

    /** Forgets a queue. */
    void delete(String name) {
        QueueSettings settings = parse(read(name));
        redis.await(r -> r.<String, String>opsForHash().remove(key, name));
        cache.remove(name);
        if (settings != null && settings.creator() != null) {
            release(settings.creator(), name);
        }
    }

    /**
     * Counts a queue to those that a key created.
     *
     * @return false if the key has reached its maximum of queues, and this is none of them
     */
    boolean reserve(String creator, String name, int max) {
        String names = createdBy(creator);
        Long count = redis.await(r -> r.opsForHash().size(names));
        if (count != null
                && count >= max
                && !Boolean.TRUE.equals(
                        redis.await(r -> r.<String, String>opsForHash().hasKey(names, name)))) {
            return false;
        }
        redis.await(r -> r.<String, String>opsForHash().put(names, name, ""));
        return true;
    }

    void release(String creator, String name) {
        redis.await(r -> r.<String, String>opsForHash().remove(createdBy(creator), name));
    }

    private String createdBy(String creator) {
        return redis.key("queues-of:" + creator);
    }

    /** Whether no other purge of a queue began lately, or ended within its interval, in any instance. If so, one begins now. */
    boolean beginPurge(String name) {
        return Boolean.TRUE.equals(redis.await(r -> r.opsForValue().setIfAbsent(purgeOf(name), "", PURGE_BEGINS)));
    }

    /** A purge of a queue ended: the next one may begin after this interval, or at once after zero. */
    void endPurge(String name, Duration interval) {
        try {
            redis.await(r -> interval.isZero()
                    ? r.delete(purgeOf(name)).hasElement()
                    : r.opsForValue().set(purgeOf(name), "", interval));
        } catch (SqsException e) {
            log.debug("The next purge of queue '{}' may begin some seconds from now", name, e);
        }
    }

    private String purgeOf(String name) {
        return redis.key("purged:" + name);
    }

    /** Names of all queues that were created. */
    Set<String> names() {
        List<String> names = redis.await(r -> r.<String, String>opsForHash()
                .entries(key)
                .map(Map.Entry::getKey)
                .collectList());
        return new TreeSet<>(names == null ? List.of() : names);
    }

    private record Cached(@Nullable QueueSettings settings, long read) {}
}
