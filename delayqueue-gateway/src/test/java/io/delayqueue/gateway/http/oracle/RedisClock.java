package io.delayqueue.gateway.http.oracle;

import io.delayqueue.test.EmbeddedRedis;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisException;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Bounds of Redis' clock, which this process can read without a call, also while Redis is away. They follow from {@code TIME} of the last
 * seconds and the monotonic clock of this process. Safe for use by several threads.
 */
final class RedisClock implements AutoCloseable {

    private static final int SAMPLES = 20;
    private static final long BETWEEN_SAMPLES_MS = 100;
    private static final long MICROS_PER_SECOND = 1_000_000;

    private final RedisClient client;
    private final RedisCommands<String, String> redis;
    private final ScheduledExecutorService sampler = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread thread = new Thread(task, "redis-clock");
        thread.setDaemon(true);
        return thread;
    });
    private final Deque<Sample> samples = new ConcurrentLinkedDeque<>();

    /** The clock of a server that answers now. */
    RedisClock(EmbeddedRedis server) {
        client = RedisClient.create(server.uri());
        redis = client.connect().sync();
        sample();
        sampler.scheduleWithFixedDelay(
                this::sampleIfItAnswers, BETWEEN_SAMPLES_MS, BETWEEN_SAMPLES_MS, TimeUnit.MILLISECONDS);
    }

    /** A time that has come. */
    Instant notBefore() {
        return instant(
                nowMicros() + samples.stream().mapToLong(Sample::least).max().orElseThrow());
    }

    /** A time that is not over yet. */
    Instant notAfter() {
        return instant(
                nowMicros() + samples.stream().mapToLong(Sample::most).min().orElseThrow());
    }

    private void sampleIfItAnswers() {
        try {
            sample();
        } catch (RedisException away) {
            // the samples so far remain valid
        }
    }

    private void sample() {
        long asked = nowMicros();
        List<String> secondsAndMicros = redis.time();
        long answered = nowMicros();
        long micros =
                Long.parseLong(secondsAndMicros.get(0)) * MICROS_PER_SECOND + Long.parseLong(secondsAndMicros.get(1));
        // both clocks are read in whole microseconds
        samples.addLast(new Sample(micros - answered - 1, micros + 1 - asked));
        if (samples.size() > SAMPLES) {
            samples.removeFirst();
        }
    }

    private static long nowMicros() {
        return System.nanoTime() / 1_000;
    }

    private static Instant instant(long micros) {
        return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
    }

    @Override
    public void close() {
        sampler.shutdownNow();
        client.shutdown(0, 1, TimeUnit.SECONDS);
    }

    /** Lower and upper bound of Redis' clock minus the monotonic clock of this process, µs. */
    private record Sample(long least, long most) {}
}
