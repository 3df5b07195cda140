package io.delayqueue.testsupport.fleet;

import io.delayqueue.testsupport.PlayedTime;
import io.delayqueue.testsupport.RedisTime;
import io.lettuce.core.RedisException;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Bounds of Redis' clock, which this process can read without a call, also while Redis is away. They follow from {@code
 * TIME} of the last seconds and the monotonic clock of this process.
 */
final class RedisClock {

    private static final int SAMPLES = 20;
    private static final long BETWEEN_SAMPLES_MS = 100;

    /** Ticks that come this much later than they should are a stall: shorter ones cost no lease of a second. */
    private static final long STALL_MS = 250;

    private final RedisCommands<String, String> redis;
    private final Stall onStall;
    private final ReentrantLock lock = new ReentrantLock();
    private final Deque<Sample> samples = new ArrayDeque<>();

    /**
     * @param redis a connection of its own
     * @param onStall gets the times of each stall, µs of Redis' clock
     */
    RedisClock(RedisCommands<String, String> redis, Stall onStall) {
        this.redis = redis;
        this.onStall = onStall;
        sample();
        Thread thread = new Thread(this::keepSampling, "redis-clock");
        thread.setDaemon(true);
        thread.start();
    }

    long notBefore() {
        lock.lock();
        try {
            return nowMicros() + samples.stream().mapToLong(Sample::least).max().orElseThrow();
        } finally {
            lock.unlock();
        }
    }

    long notAfter() {
        lock.lock();
        try {
            return nowMicros() + samples.stream().mapToLong(Sample::most).min().orElseThrow();
        } finally {
            lock.unlock();
        }
    }

    private void sample() {
        long asked = nowMicros();
        long micros = RedisTime.micros(redis);
        long answered = nowMicros();
        lock.lock();
        try {
            if (samples.size() == SAMPLES) {
                samples.removeFirst();
            }
            samples.addLast(new Sample(micros - answered, micros - asked + 1));
        } finally {
            lock.unlock();
        }
    }

    private void keepSampling() {
        while (true) {
            long begun = notAfter();
            PlayedTime.pass(Duration.ofMillis(BETWEEN_SAMPLES_MS));
            try {
                sample();
            } catch (RedisException away) {
                // the samples so far remain valid
            }
            long ended = notBefore();
            if (ended - begun > TimeUnit.MILLISECONDS.toMicros(BETWEEN_SAMPLES_MS + STALL_MS)) {
                onStall.lasted(begun, ended);
            }
        }
    }

    private static long nowMicros() {
        return System.nanoTime() / 1000;
    }

    /** Receives stalls of this process, or of the server. */
    interface Stall {
        void lasted(long begunMicros, long endedMicros);
    }

    /** Lower and upper bound of Redis' clock minus this process' monotonic clock, µs. */
    private record Sample(long least, long most) {}
}
