package io.delayqueue.internal.engine.dispatch;

import io.delayqueue.ConsumerOptions;
import io.delayqueue.ReceivedMessage;
import io.delayqueue.internal.engine.settle.InFlightMessage;
import io.delayqueue.internal.engine.settle.Settlement;
import io.delayqueue.internal.engine.shared.ConsumerContext;
import io.delayqueue.internal.engine.shared.Failures;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Turns the way in which a handler ended into a {@link Settlement}, by the options of its subscription. Thread-safe. */
final class Outcomes {

    private static final Logger log = LoggerFactory.getLogger("io.delayqueue");

    private final ConsumerContext context;
    private volatile boolean interrupting;

    Outcomes(ConsumerContext context) {
        this.context = context;
    }

    /** From now on a failure means that the handler was interrupted by the end of the subscription: its message is released. */
    void interrupting() {
        interrupting = true;
    }

    /**
     * The settlement of a decided message. There always is one: nobody else would settle the message.
     *
     * @param requested the outcome that the handler asked for; null for none. Does not count if the handler was interrupted by the
     *     end of the subscription and failed
     * @param error the failure; null if there was none
     */
    Settlement settlement(InFlightMessage message, @Nullable RequestedOutcome requested, @Nullable Throwable error) {
        try {
            return requested == null || interrupting && error != null
                    ? byError(message, error, false)
                    : requested(message, requested, error);
        } catch (Throwable e) {
            // such as from a logger, or for want of memory
            return requested == null && error == null ? new Settlement.Ack(message) : undescribed(message, e);
        }
    }

    /** The settlement of a decided message whose handler took too long: the retry predicate judges what handlers throw. */
    Settlement timedOut(InFlightMessage message, Throwable error) {
        try {
            return byError(message, error, true);
        } catch (Throwable e) {
            return undescribed(message, e);
        }
    }

    private Settlement byError(InFlightMessage message, @Nullable Throwable error, boolean timedOut) {
        if (error == null) {
            return new Settlement.Ack(message);
        }
        if (interrupting) {
            return new Settlement.Release(message);
        }
        ReceivedMessage received = message.message();
        String text = Failures.describe(error);
        if (isLastAttempt(received) || !timedOut && !isRetryable(error)) {
            deadLettered(received, text, Failures.loggable(error));
            return new Settlement.Retry(message, null, text, error);
        }
        Duration delay = backoff(received);
        debug("{} failed and is delivered again", received, error);
        return new Settlement.Retry(message, delay, text, error);
    }

    private static Settlement requested(
            InFlightMessage message, RequestedOutcome requested, @Nullable Throwable error) {
        ReceivedMessage received = message.message();
        Duration asked = requested.delay();
        if (asked != null && !requested.counts()) {
            debug("{} is postponed", received, error);
            return new Settlement.Postpone(message, asked);
        }
        Duration delay = isLastAttempt(received) ? null : asked;
        String text = error == null
                ? Failures.bounded(requested.reason())
                : Failures.bounded(requested.reason() + "; " + Failures.describe(error));
        if (delay == null) {
            deadLettered(received, text, error == null ? null : Failures.loggable(error));
        }
        return new Settlement.Retry(message, delay, text, error);
    }

    private static void deadLettered(ReceivedMessage received, String text, @Nullable Throwable error) {
        log.warn(
                "Message '{}' of topic '{}' is dead-lettered after attempt {} of {}: {}",
                received.id(),
                received.topic(),
                received.attempt(),
                received.maxAttempts(),
                text,
                error);
    }

    private static Settlement undescribed(InFlightMessage message, Throwable problem) {
        ReceivedMessage received = message.message();
        return new Settlement.Retry(
                message,
                isLastAttempt(received) ? null : ConsumerOptions.DEFAULT_BACKOFF.delayAfter(received.attempt()),
                "the handler failed, and its failure could not be described: "
                        + problem.getClass().getName(),
                null);
    }

    private static boolean isLastAttempt(ReceivedMessage message) {
        return message.attempt() >= message.maxAttempts();
    }

    private boolean isRetryable(Throwable error) {
        try {
            return context.options().retryable().test(error);
        } catch (Throwable e) {
            log.warn(
                    "The retry predicate of topic '{}' threw; the message is retried",
                    context.topic(),
                    Failures.loggable(e));
            return true;
        }
    }

    private Duration backoff(ReceivedMessage message) {
        try {
            Duration delay = context.options().backoff().delayAfter(message.attempt());
            return delay.isNegative() ? Duration.ZERO : delay;
        } catch (Throwable e) {
            log.warn("The backoff of topic '{}' threw; the default is used", context.topic(), Failures.loggable(e));
            return ConsumerOptions.DEFAULT_BACKOFF.delayAfter(message.attempt());
        }
    }

    static void debug(String text, ReceivedMessage message, @Nullable Throwable error) {
        if (log.isDebugEnabled()) {
            log.debug(text, message, error == null ? null : Failures.loggable(error));
        }
    }
}
