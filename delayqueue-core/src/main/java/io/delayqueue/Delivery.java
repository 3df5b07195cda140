package io.delayqueue;

import java.time.Duration;

/**
 * Lets a handler retry, postpone or dead-letter its message instead of returning or throwing, and extend its lease. Safe for use
 * by several threads. Of {@link #retryAfter}, {@link #postpone} and {@link #deadLetter} the last call counts; it takes effect when
 * the handler returns or throws, or the stage of an {@link AsyncMessageHandler} completes.
 */
public interface Delivery {

    /**
     * Retries the message after this delay instead of acking it. The attempt counts: after the last one the message is
     * dead-lettered.
     */
    void retryAfter(Duration delay);

    /**
     * Delivers the message again after this delay, and does not count this attempt. This is for work that can't begin now, such as a call
     * of a service that is known to be unavailable. Nothing but the message's time to live, if it has one, ends a series of such calls.
     *
     * @throws UnsupportedOperationException by default, for implementations of this interface that are older than the method
     */
    default void postpone(Duration delay) {
        throw new UnsupportedOperationException("this Delivery can't postpone its message");
    }

    /** Dead-letters the message with this reason, even if attempts are left. */
    void deadLetter(String reason);

    /**
     * Extends the lease to at least this long from now. Seldom needed, since the lease is renewed while the handler runs.
     * Waits for Redis.
     *
     * @return false if the lease has been lost
     */
    boolean extend(Duration lease);

    /**
     * Whether the lease has been lost, so that another consumer may have the message: Redis said so, or the lease expired
     * before it was renewed. Another handler may repeat the work, and Redis refuses the outcome of this one.
     */
    boolean isLeaseLost();

    /**
     * Whether this library interrupted the handler, since it exceeded its timeout or its subscription is being stopped. Otherwise an
     * {@link InterruptedException} has another origin, and is a failure like any other.
     */
    boolean isInterrupted();
}
