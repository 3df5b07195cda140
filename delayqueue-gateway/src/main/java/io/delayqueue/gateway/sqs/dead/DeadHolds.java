package io.delayqueue.gateway.sqs.dead;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.data.redis.core.ValueOperations;

/**
 * Which dead letters a client has received: a key each in Redis, which goes by itself when the visibility timeout is over. It only keeps
 * other clients from receiving the dead letter; nothing is lost with it. Safe for use by several threads.
 */
public final class DeadHolds {

    private final StringRedisTemplate redis;
    private final ValueOperations<String, String> values;
    private final String keys;

    /**
     * Holds.
     *
     * @param keyPrefix prefix of the delay queue's keys
     */
    public DeadHolds(StringRedisTemplate redis, String keyPrefix) {
        this.redis = redis;
        this.values = redis.opsForValue();
        this.keys = keyPrefix + ":gateway:dead:";
    }

    /** Holds a dead letter, unless another receive holds it. */
    boolean hold(DeadHandle handle, Duration time) {
        return Boolean.TRUE.equals(values.setIfAbsent(key(handle), handle.hold(), time));
    }

    /** Whether this receive still holds its dead letter. */
    boolean isHeld(DeadHandle handle) {
        @Nullable String holder = values.get(key(handle));
        return handle.hold().equals(holder);
    }

    /** Holds it for this long from now. */
    void keep(DeadHandle handle, Duration time) {
        values.setIfPresent(key(handle), handle.hold(), time);
    }

    /** Lets other clients receive it. */
    void release(DeadHandle handle) {
        redis.delete(key(handle));
    }

    private String key(DeadHandle handle) {
        return keys + handle.topic() + ":" + handle.id();
    }
}
