package io.delayqueue.gateway.callback;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The consequences of a call: for its message, and for further calls of the same target.
 *
 * @param message outcome for the message
 * @param target outcome for the target
 * @param retryAfter the delay that the target asked for; null if none
 * @param reason in words, for the message's error and the log
 */
record CallbackOutcome(
        MessageOutcome message,
        TargetOutcome target,
        @Nullable Duration retryAfter,
        String reason) {

    /** The message's outcome. */
    enum MessageOutcome {
        /** It is done. */
        ACK,
        /** The attempt counts, and the message is retried by policy. */
        RETRY,
        /** The message is delivered again, and the attempt does not count. */
        POSTPONE,
        /** It is not retried. */
        DEAD_LETTER
    }

    /** The state of the target that a call shows. */
    enum TargetOutcome {
        /** It answers. */
        ANSWERS,
        /** It failed: the breaker counts that. */
        FAILS,
        /** It asks for fewer calls. */
        THROTTLED,
        /** It, or a server before it, can't answer now: it gets fewer calls, and the breaker counts a failure. */
        UNAVAILABLE,
        /** It answers, and wants no calls of this URL any more. */
        GONE;

        /** Whether it should be left alone for some time. */
        boolean isUnavailable() {
            return this == FAILS || this == THROTTLED || this == UNAVAILABLE;
        }
    }

    /** The same, but for a shorter time if the target asked for a longer one. */
    CallbackOutcome askingForAtMost(Duration longest) {
        return retryAfter == null || retryAfter.compareTo(longest) <= 0
                ? this
                : new CallbackOutcome(message, target, longest, reason);
    }
}
