package io.delayqueue.gateway.http.idempotency;

import io.delayqueue.gateway.http.body.Json;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.core.StringRedisTemplate;

/** Keeps requests in Redis, so that a repeat may come to another gateway. Safe for use by many threads. */
public final class IdempotencyStore {

    private final StringRedisTemplate redis;
    private final String prefix;
    private final Duration retention;
    private final Json json;

    /**
     * A store over a Redis.
     *
     * @param keyPrefix prefix of the delay queue's keys
     * @param retention time for which a request is kept
     */
    public IdempotencyStore(StringRedisTemplate redis, String keyPrefix, Duration retention, Json json) {
        this.redis = redis;
        this.prefix = keyPrefix + ":gateway:idempotency:";
        this.retention = retention;
        this.json = json;
    }

    /** Keeps a new request, unless there is one. Returns that one, else null. */
    @Nullable
    RequestRecord begin(String key, RequestRecord record) {
        // a record that ends between the two commands makes way for the new one
        for (int i = 0; i < 3; i++) {
            if (Boolean.TRUE.equals(redis.opsForValue().setIfAbsent(prefix + key, text(record), retention))) {
                return null;
            }
            String kept = redis.opsForValue().get(prefix + key);
            if (kept != null) {
                return json.read(kept.getBytes(StandardCharsets.UTF_8), RequestRecord.class);
            }
        }
        throw new IllegalStateException("a request ends and begins all the time");
    }

    /** Replaces a kept request. */
    void put(String key, RequestRecord record) {
        redis.opsForValue().set(prefix + key, text(record), retention);
    }

    /** Forgets a request. */
    void delete(String key) {
        redis.delete(prefix + key);
    }

    private String text(RequestRecord record) {
        return new String(json.write(record), StandardCharsets.UTF_8);
    }
}
