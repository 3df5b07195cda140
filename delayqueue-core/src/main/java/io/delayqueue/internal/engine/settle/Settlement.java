package io.delayqueue.internal.engine.settle;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The way in which a message in flight is settled. */
public sealed interface Settlement {

    /** The message. */
    InFlightMessage message();

    /** The message was handled. */
    record Ack(InFlightMessage message) implements Settlement {}

    /** The attempt has ended without an ack. */
    sealed interface Ended extends Settlement {

        /** Until the next attempt; null to dead-letter the message. */
        @Nullable
        Duration delay();
    }

    /**
     * The attempt failed.
     *
     * @param delay until the next attempt; null to dead-letter the message
     * @param error in words, at most 2,000 characters
     * @param cause the exception, if there was one
     */
    record Retry(
            InFlightMessage message,
            @Nullable Duration delay,
            String error,
            @Nullable Throwable cause) implements Ended {}

    /**
     * The handler postponed the message: it is scheduled again, and no attempt is counted.
     *
     * @param delay until the next attempt
     */
    record Postpone(InFlightMessage message, Duration delay) implements Ended {}

    /** No handler has handled the message: it becomes ready again, and no attempt is counted. */
    record Release(InFlightMessage message) implements Settlement {}
}
