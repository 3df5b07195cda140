package io.delayqueue.gateway.sqs.dead;

import io.delayqueue.gateway.sqs.redis.BoundedRedis;
import java.time.Duration;

/**
 * Which dead letters a client has received: a key each in Redis, which goes by itself when the visibility timeout is over. It only keeps
 * other clients from receiving the dead letter; nothing is lost with it. Safe for use by several threads.
 */
public final class DeadHolds {

    private final BoundedRedis redis;

    /** Holds in this Redis. */
    public DeadHolds(BoundedRedis redis) {
        this.redis = redis;
    }

    /** Holds a dead letter, unless another receive holds it. */
    boolean hold(DeadHandle handle, Duration time) {
        return Boolean.TRUE.equals(redis.await(r -> r.opsForValue().setIfAbsent(key(handle), handle.hold(), time)));
    }

    /** Whether this receive still holds its dead letter. */
    boolean isHeld(DeadHandle handle) {
        return handle.hold().equals(redis.await(r -> r.opsForValue().get(key(handle))));
    }

    /** Holds it for this long from now, if it is still held. */
    void keep(DeadHandle handle, Duration time) {
        redis.await(r -> r.opsForValue().setIfPresent(key(handle), handle.hold(), time));
    }

    /** Lets other clients receive it. */
    void release(DeadHandle handle) {
        redis.await(r -> r.delete(key(handle)));
    }

    private String key(DeadHandle handle) {
        return redis.key("dead:" + handle.topic() + ":" + handle.id());
    }
}
