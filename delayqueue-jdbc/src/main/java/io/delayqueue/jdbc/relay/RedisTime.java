package io.delayqueue.jdbc.relay;

import io.delayqueue.DelayQueueException;
import io.delayqueue.Outbox;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Redis' clock, as its last reply told it and the monotonic clock went on. No clock of this machine counts. Thread-safe. */
public final class RedisTime {

    private static final Logger log = LoggerFactory.getLogger("io.delayqueue.jdbc");

    /** A deadline counted from an older time would leave too little of the send timeout. */
    private static final long NEWEST_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private final Supplier<Outbox> outbox;
    private volatile @Nullable Sample sample;

    private record Sample(long micros, long atNanos) {

        long ageNanos() {
            return System.nanoTime() - atNanos;
        }
    }

    /** @param outbox asked for when it is needed first: observers of a client exist before it */
    public RedisTime(Supplier<Outbox> outbox) {
        this.outbox = outbox;
    }

    /**
     * A time of Redis in µs that is certainly past, half a second old at most. Asks Redis if the last reply is older.
     *
     * @throws io.delayqueue.DelayQueueException if Redis does not answer
     */
    public long past() {
        Sample last = sample;
        return last == null || last.ageNanos() > NEWEST_NANOS ? ask() : last.micros();
    }

    /**
     * A time of Redis in µs that Redis tells now: no earlier one will do for changes that it found too late.
     *
     * @throws io.delayqueue.DelayQueueException if Redis does not answer
     */
    long ask() {
        Sample now = new Sample(RedisFailures.await(outbox.get().timeMicros()), System.nanoTime());
        sample = now;
        return now.micros();
    }

    /** The present time of Redis in µs, as far as it is known; empty until it answered once. */
    public OptionalLong estimate() {
        Sample last = sample;
        return last == null ? OptionalLong.empty() : OptionalLong.of(last.micros() + last.ageNanos() / 1_000);
    }

    /** Asks Redis for its time, without waiting, if its last reply is older than this. Where it can't be asked, that reply counts on. */
    public void refreshIfOlderThan(Duration age) {
        Sample last = sample;
        if (last == null || last.ageNanos() > age.toNanos()) {
            try {
                outbox.get().timeMicros().thenAccept(micros -> sample = new Sample(micros, System.nanoTime()));
            } catch (DelayQueueException e) {
                log.debug("Redis can't be asked for its time", e);
            }
        }
    }
}
