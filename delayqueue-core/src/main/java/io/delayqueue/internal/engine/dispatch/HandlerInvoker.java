package io.delayqueue.internal.engine.dispatch;

import io.delayqueue.ConsumerOptions;
import io.delayqueue.ReceivedMessage;
import io.delayqueue.internal.engine.settle.InFlightMessage;
import io.delayqueue.internal.engine.settle.Settlement;
import io.delayqueue.internal.engine.settle.Settlements;
import io.delayqueue.internal.engine.shared.ConsumerContext;
import io.delayqueue.internal.engine.shared.Failures;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Calls the user's handler, and turns the way it ends into a {@link Settlement}. Thread-safe. */
public final class HandlerInvoker {

    private static final Logger log = LoggerFactory.getLogger("io.delayqueue");

    private final ConsumerContext context;
    private final Settlements settlements;
    private final Consumer<Settlement> settle;
    private volatile boolean interrupting;

    /**
     * Calls the handler of one subscription.
     *
     * @param settlements extend leases
     * @param settle settles a message that was decided
     */
    public HandlerInvoker(ConsumerContext context, Settlements settlements, Consumer<Settlement> settle) {
        this.context = context;
        this.settlements = settlements;
        this.settle = settle;
    }

    /** From now on a failure means that the handler was interrupted by the end of the subscription: its message is released. */
    public void interrupting() {
        interrupting = true;
    }

    /** Handles a message on the current thread, unless it was decided before. */
    public void handle(InFlightMessage message, HandlerSlot slot) {
        Duration lag = Duration.ofNanos(Math.max(0, message.lateNanos()));
        if (!message.begin()) {
            return;
        }
        if (message.isLeaseLost()) {
            releaseUnhandled(message);
            return;
        }
        ReceivedMessage received = message.message();
        context.client().observer().call(observer -> observer.delivered(received, lag));
        var delivery = new HandlerDelivery(
                message, settlements, context.client().options().commandTimeout());
        long startNanos = System.nanoTime();
        Future<?> timeout = scheduleTimeout(message, startNanos, slot);
        Throwable error = null;
        try {
            context.handler().handle(received, delivery);
        } catch (Throwable e) {
            error = e;
        } finally {
            message.end();
            if (timeout != null) {
                timeout.cancel(false);
            }
        }
        if (message.decide()) {
            reportHandled(received, startNanos, error);
            settle.accept(settlement(message, delivery.requested(), error));
        } else {
            debug("{} was settled before its handler ended", received, error);
        }
    }

    /** This process stood still since the claim: another one may have the message by now. */
    private void releaseUnhandled(InFlightMessage message) {
        message.end();
        if (message.decide()) {
            debug("the lease of {} was over before its handler began", message.message(), null);
            settle.accept(new Settlement.Release(message));
        }
    }

    private @Nullable Future<?> scheduleTimeout(InFlightMessage message, long startNanos, HandlerSlot slot) {
        Duration timeout = context.options().timeout();
        if (timeout == null) {
            return null;
        }
        return context.client()
                .timer()
                .schedule(() -> timeOut(message, startNanos, slot), timeout.toNanos(), TimeUnit.NANOSECONDS);
    }

    private void timeOut(InFlightMessage message, long startNanos, HandlerSlot slot) {
        if (!message.decide()) {
            return;
        }
        TimeoutException error = new TimeoutException(
                "the handler took longer than " + context.options().timeout());
        message.interrupt();
        // its thread may never come back; the slot must
        slot.freeEarly();
        // observer, retryable and backoff are the user's, and the timer serves all subscriptions
        slot.runBeside(() -> {
            reportHandled(message.message(), startNanos, error);
            settle.accept(settlement(message, null, error));
        });
    }

    private void reportHandled(ReceivedMessage message, long startNanos, @Nullable Throwable error) {
        Duration duration = Duration.ofNanos(System.nanoTime() - startNanos);
        context.client().observer().call(observer -> observer.handled(message, duration, error));
    }

    private Settlement settlement(
            InFlightMessage message, @Nullable RequestedOutcome requested, @Nullable Throwable error) {
        if (requested != null) {
            return requestedSettlement(message, requested, error);
        }
        if (error == null) {
            return new Settlement.Ack(message);
        }
        if (interrupting) {
            return new Settlement.Release(message);
        }
        ReceivedMessage received = message.message();
        String text = Failures.describe(error);
        if (received.attempt() >= received.maxAttempts() || !isRetryable(error)) {
            log.warn("{} is dead-lettered: {}", received, text, Failures.loggable(error));
            return new Settlement.Retry(message, null, text, error);
        }
        Duration delay = backoff(received);
        debug("{} failed and comes again", received, error);
        return new Settlement.Retry(message, delay, text, error);
    }

    private static Settlement requestedSettlement(
            InFlightMessage message, RequestedOutcome requested, @Nullable Throwable error) {
        ReceivedMessage received = message.message();
        Duration delay = received.attempt() >= received.maxAttempts() ? null : requested.retryAfter();
        String text = error == null
                ? Failures.bounded(requested.reason())
                : Failures.bounded(requested.reason() + "; " + Failures.describe(error));
        if (delay == null) {
            log.warn("{} is dead-lettered: {}", received, text, error == null ? null : Failures.loggable(error));
        }
        return new Settlement.Retry(message, delay, text, error);
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

    private static void debug(String text, ReceivedMessage message, @Nullable Throwable error) {
        if (log.isDebugEnabled()) {
            log.debug(text, message, error == null ? null : Failures.loggable(error));
        }
    }
}
