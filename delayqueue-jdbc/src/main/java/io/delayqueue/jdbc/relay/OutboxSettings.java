package io.delayqueue.jdbc.relay;

import io.delayqueue.jdbc.support.Micros;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * How the outbox is sent.
 *
 * @param sendTimeout time for which the sender of a row may send it; then it is free, and a relay takes it
 * @param batchSize rows that are taken and sent at once
 * @param pollInterval time between looks for rows while there are none
 * @param handOverCapacity changes that wait for the hand-over at most
 * @param maxFailures refusals of a change after which its id is blocked
 */
public record OutboxSettings(
        Duration sendTimeout, int batchSize, Duration pollInterval, int handOverCapacity, int maxFailures) {

    /** The defaults. */
    public static final OutboxSettings DEFAULTS =
            new OutboxSettings(Duration.ofSeconds(10), 500, Duration.ofSeconds(1), 10_000, 10);

    public OutboxSettings {
        if (sendTimeout.compareTo(Duration.ofSeconds(1)) < 0) {
            throw new IllegalArgumentException("sendTimeout must be 1 s at least, not " + sendTimeout);
        }
        if (batchSize < 1
                || handOverCapacity < 1
                || maxFailures < 1
                || pollInterval.isNegative()
                || pollInterval.isZero()) {
            throw new IllegalArgumentException(
                    "batchSize, handOverCapacity, maxFailures and pollInterval must be positive");
        }
    }

    long sendTimeoutMicros() {
        return Micros.of(sendTimeout);
    }

    /** Longer than send timeouts, those of other instances too, and pauses after refusals: a row that waits longer met a wrong clock. */
    long longestWaitMicros() {
        return Math.max(2 * sendTimeoutMicros(), RowRecorder.LONGEST_PAUSE_MICROS) + TimeUnit.MINUTES.toMicros(1);
    }
}
