package io.delayqueue;

import java.time.Duration;
import java.util.Objects;

/**
 * A message that a {@link PullConsumer} received.
 *
 * @param message the message
 * @param receipt the right to settle it
 * @param leaseEndsNanos when its lease ends at the earliest, by {@link System#nanoTime()} of this process; later if it is extended
 */
public record PulledMessage(ReceivedMessage message, Receipt receipt, long leaseEndsNanos) {

    public PulledMessage {
        Objects.requireNonNull(message, "message");
        Objects.requireNonNull(receipt, "receipt");
    }

    /** How long the lease lasts at least, unless it was extended; zero or less if it may be over. */
    public Duration leaseLeft() {
        return Duration.ofNanos(leaseEndsNanos - System.nanoTime());
    }
}
