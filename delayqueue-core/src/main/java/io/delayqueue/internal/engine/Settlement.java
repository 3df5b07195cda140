package io.delayqueue.internal.engine;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** What is to become of a message in hand. */
sealed interface Settlement {

    /** The message in hand. */
    InFlightMessage inHand();

    /** It was handled. */
    record Ack(InFlightMessage inHand) implements Settlement {}

    /**
     * Its attempt failed.
     *
     * @param delay until the next attempt; null to dead-letter it
     * @param error what went wrong, bounded
     * @param cause what was thrown, if something was
     */
    record Retry(
            InFlightMessage inHand,
            @Nullable Duration delay,
            String error,
            @Nullable Throwable cause) implements Settlement {}

    /** It is still being handled: renew its lease. */
    record Extend(InFlightMessage inHand, Duration lease) implements Settlement {}

    /** Nobody has handled it: give it back. */
    record Release(InFlightMessage inHand) implements Settlement {}
}
