package io.delayqueue.testsupport;

import io.lettuce.core.api.sync.RedisCommands;
import java.time.Instant;
import java.util.List;

/** The clock of a Redis server, asked for by {@code TIME}. */
public final class RedisTime {

    private static final long MICROS_PER_SECOND = 1_000_000;

    private RedisTime() {}

    /** Microseconds since the epoch. */
    public static long micros(RedisCommands<String, String> redis) {
        List<String> secondsAndMicros = redis.time();
        return Long.parseLong(secondsAndMicros.get(0)) * MICROS_PER_SECOND + Long.parseLong(secondsAndMicros.get(1));
    }

    /** The same point of time for Java's API. */
    public static Instant instant(long micros) {
        return Instant.ofEpochSecond(micros / MICROS_PER_SECOND, micros % MICROS_PER_SECOND * 1000);
    }
}
