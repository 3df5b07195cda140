package io.delayqueue.model;

import io.lettuce.core.api.sync.RedisCommands;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Redis' own clock: the only one that says what is due. */
final class ServerClock {

    private final RedisCommands<String, String> redis;

    ServerClock(RedisCommands<String, String> redis) {
        this.redis = redis;
    }

    long micros() {
        List<String> time = redis.time();
        return Long.parseLong(time.get(0)) * 1_000_000 + Long.parseLong(time.get(1));
    }

    /** Asks for the time until it is later; for moments only. */
    void awaitLaterThan(long micros) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
        while (micros() <= micros) {
            if (System.nanoTime() - end > 0) {
                throw new IllegalStateException("Redis' clock did not come to " + micros);
            }
        }
    }
}
