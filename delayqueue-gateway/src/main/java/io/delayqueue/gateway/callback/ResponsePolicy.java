package io.delayqueue.gateway.callback;

import io.delayqueue.gateway.callback.CallbackOutcome.MessageOutcome;
import io.delayqueue.gateway.callback.CallbackOutcome.TargetOutcome;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Judges the ends of calls, by the response's status and two of its headers. Thread-safe. */
final class ResponsePolicy {

    /** A response header that ends the retries of a message by the value {@code no}. */
    static final String RETRY_HEADER = "DelayQueue-Retry";

    private static final int GONE = 410;

    private final Duration maxRetryAfter;

    /** @param maxRetryAfter a target that asks for a longer delay gets this one */
    ResponsePolicy(Duration maxRetryAfter) {
        this.maxRetryAfter = maxRetryAfter;
    }

    /**
     * The outcome of a response.
     *
     * @param retryHeader value of {@value #RETRY_HEADER}; null if missing
     * @param retryAfter value of Retry-After; null if missing
     * @param now when it came
     */
    CallbackOutcome of(int status, @Nullable String retryHeader, @Nullable String retryAfter, Instant now) {
        String reason = "the target answered with status " + status;
        if (status >= 200 && status < 300) {
            return new CallbackOutcome(MessageOutcome.ACK, TargetOutcome.ANSWERS, null, reason);
        }
        TargetOutcome target = target(status);
        Duration delay = target == TargetOutcome.THROTTLED || target == TargetOutcome.UNAVAILABLE
                ? RetryAfter.parse(retryAfter, now, maxRetryAfter)
                : null;
        if (retryHeader != null && retryHeader.strip().equalsIgnoreCase("no")) {
            return new CallbackOutcome(MessageOutcome.DEAD_LETTER, target, delay, reason + " and asked for no retry");
        }
        if (status == GONE) {
            return new CallbackOutcome(MessageOutcome.POSTPONE, target, null, reason + ": its URL is paused");
        }
        boolean isRedirect = status >= 300 && status < 400;
        return new CallbackOutcome(
                MessageOutcome.RETRY, target, delay, isRedirect ? reason + "; redirects are not followed" : reason);
    }

    /** The outcome of a call without a response: nobody answered at the address, or not in time. */
    CallbackOutcome ofFailure(String reason) {
        return new CallbackOutcome(MessageOutcome.RETRY, TargetOutcome.FAILS, null, reason);
    }

    private static TargetOutcome target(int status) {
        return switch (status) {
            case GONE -> TargetOutcome.GONE;
            case 429 -> TargetOutcome.THROTTLED;
            // a host that answers so for hours is down: the breaker counts that
            case 502, 503, 504 -> TargetOutcome.UNAVAILABLE;
            default -> status >= 500 ? TargetOutcome.FAILS : TargetOutcome.ANSWERS;
        };
    }
}
