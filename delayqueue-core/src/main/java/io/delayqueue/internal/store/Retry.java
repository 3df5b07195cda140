package io.delayqueue.internal.store;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The end of an attempt that failed, or was postponed.
 *
 * @param lease the message's lease
 * @param attempts attempts made so far, this one included unless it was postponed
 * @param delay delay until the next attempt; null to dead-letter the message
 * @param priority the message's priority
 * @param error the error, at most 2,000 characters; kept with a dead letter only
 * @param postponed whether the attempt is counted as postponed, not as retried; without meaning if there is no delay
 */
public record Retry(
        Lease lease, int attempts, @Nullable Duration delay, int priority, String error, boolean postponed) {

    /** A failed attempt. */
    public Retry(Lease lease, int attempts, @Nullable Duration delay, int priority, String error) {
        this(lease, attempts, delay, priority, error, false);
    }

    /** A postponed message. */
    public static Retry postponed(Lease lease, int attempts, Duration delay, int priority) {
        return new Retry(lease, attempts, delay, priority, "", true);
    }
}
