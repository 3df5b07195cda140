package io.delayqueue.model;

import io.delayqueue.testsupport.RedisTime;
import io.lettuce.core.api.sync.RedisCommands;
import java.util.concurrent.TimeUnit;

/** Redis' own clock, by which messages fall due. */
final class ModelClock {

    private final RedisCommands<String, String> redis;

    ModelClock(RedisCommands<String, String> redis) {
        this.redis = redis;
    }

    long micros() {
        return RedisTime.micros(redis);
    }

    /** Polls the clock until it is later than this, which is milliseconds away. */
    void awaitLaterThan(long micros) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
        while (micros() <= micros) {
            if (System.nanoTime() - end > 0) {
                throw new IllegalStateException("Redis' clock did not come to " + micros);
            }
        }
    }
}
