package io.delayqueue;

import java.time.Duration;

/**
 * A handler's grip on the message it is handling: how to end it other than by returning or throwing. Safe for use by
 * several threads; of {@link #retryAfter} and {@link #deadLetter} the last call counts, and it takes effect when the
 * handler returns or throws.
 */
public interface Delivery {

    /**
     * Has the message delivered again after a delay of the handler's choice instead of being acked. It counts as an
     * attempt: after the last one the message is dead-lettered.
     */
    void retryAfter(Duration delay);

    /** Has the message dead-lettered with this reason, whatever attempts are left. */
    void deadLetter(String reason);

    /**
     * Makes sure that the lease lasts at least this long from now. Seldom needed: the lease is renewed while the handler
     * runs. Waits for Redis.
     *
     * @return false if the lease is lost
     */
    boolean extend(Duration lease);

    /**
     * Whether another consumer may have the message by now: Redis said so, or the lease ran out without being renewed.
     * What the handler does from here on may be done twice, and its outcome will be refused.
     */
    boolean isLeaseLost();
}
