package io.delayqueue.internal.engine;

import io.delayqueue.ConsumerOptions;
import io.delayqueue.ReceivedMessage;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Calls the user's handler for one message after another and says what becomes of each. */
final class HandlerInvoker {

    private static final Logger log = LoggerFactory.getLogger("io.delayqueue");

    private final ConsumerContext context;
    private final Consumer<Settlement> settle;
    private volatile boolean interrupting;

    /** @param settle settles a message that was decided */
    HandlerInvoker(ConsumerContext context, Consumer<Settlement> settle) {
        this.context = context;
        this.settle = settle;
    }

    /** From now on a failure means that the handler was interrupted: its message is given back. */
    void interrupting() {
        interrupting = true;
    }

    /** Handles a message on this thread, however it ends. */
    void handle(InFlightMessage inHand, Handlers.Place place) {
        Duration lag = Duration.ofNanos(Math.max(0, inHand.lateNanos()));
        if (!inHand.begin()) {
            return;
        }
        if (inHand.isLeaseLost()) {
            giveUp(inHand);
            return;
        }
        ReceivedMessage message = inHand.message();
        context.observers().tell(observer -> observer.delivered(message, lag));
        var delivery = new HandlerDelivery(inHand, context.queue().commandTimeout());
        long startNanos = System.nanoTime();
        Future<?> alarm = watch(inHand, startNanos, place);
        Throwable error = null;
        try {
            context.handler().handle(message, delivery);
        } catch (Throwable e) {
            error = e;
        } finally {
            inHand.end();
            if (alarm != null) {
                alarm.cancel(false);
            }
        }
        if (inHand.decide()) {
            finish(message, startNanos, error);
            settle.accept(decision(inHand, delivery.wish(), error));
        } else {
            debug("{} was decided before its handler ended", message, error);
        }
    }

    /** This process stood still since the claim: somebody else may have the message by now. */
    private void giveUp(InFlightMessage inHand) {
        inHand.end();
        if (inHand.decide()) {
            debug("the lease of {} was over before its handler began", inHand.message(), null);
            settle.accept(new Settlement.Release(inHand));
        }
    }

    private @Nullable Future<?> watch(InFlightMessage inHand, long startNanos, Handlers.Place place) {
        Duration timeout = context.options().timeout();
        if (timeout == null) {
            return null;
        }
        return context.timer()
                .schedule(() -> timeOut(inHand, startNanos, place), timeout.toNanos(), TimeUnit.NANOSECONDS);
    }

    private void timeOut(InFlightMessage inHand, long startNanos, Handlers.Place place) {
        if (!inHand.decide()) {
            return;
        }
        TimeoutException error = new TimeoutException(
                "the handler took longer than " + context.options().timeout());
        inHand.interrupt();
        // its thread may never come back; the place must
        place.leave();
        finish(inHand.message(), startNanos, error);
        settle.accept(decision(inHand, null, error));
    }

    private void finish(ReceivedMessage message, long startNanos, @Nullable Throwable error) {
        Duration duration = Duration.ofNanos(System.nanoTime() - startNanos);
        context.observers().tell(observer -> observer.handled(message, duration, error));
    }

    private Settlement decision(
            InFlightMessage inHand, HandlerDelivery.@Nullable RequestedOutcome wish, @Nullable Throwable error) {
        if (wish != null) {
            return decisionByWish(inHand, wish, error);
        }
        if (error == null) {
            return new Settlement.Ack(inHand);
        }
        if (interrupting) {
            return new Settlement.Release(inHand);
        }
        ReceivedMessage message = inHand.message();
        String text = Failures.describe(error);
        if (message.attempt() >= message.maxAttempts() || !isRetryable(error)) {
            log.warn("{} is dead-lettered: {}", message, text, Failures.loggable(error));
            return new Settlement.Retry(inHand, null, text, error);
        }
        Duration delay = backoff(message);
        debug("{} failed and comes again", message, error);
        return new Settlement.Retry(inHand, delay, text, error);
    }

    private static Settlement decisionByWish(
            InFlightMessage inHand, HandlerDelivery.RequestedOutcome wish, @Nullable Throwable error) {
        ReceivedMessage message = inHand.message();
        Duration delay = message.attempt() >= message.maxAttempts() ? null : wish.retryAfter();
        String text = error == null
                ? Failures.bounded(wish.reason())
                : Failures.bounded(wish.reason() + "; " + Failures.describe(error));
        if (delay == null) {
            log.warn("{} is dead-lettered: {}", message, text);
        }
        return new Settlement.Retry(inHand, delay, text, error);
    }

    private boolean isRetryable(Throwable error) {
        try {
            return context.options().retryable().test(error);
        } catch (RuntimeException | Error e) {
            log.warn("retryable of topic '{}' failed; the message is retried", context.topic(), Failures.loggable(e));
            return true;
        }
    }

    private Duration backoff(ReceivedMessage message) {
        try {
            Duration delay = context.options().backoff().delayAfter(message.attempt());
            return delay.isNegative() ? Duration.ZERO : delay;
        } catch (RuntimeException | Error e) {
            log.warn("backoff of topic '{}' failed; the default is used", context.topic(), Failures.loggable(e));
            return ConsumerOptions.DEFAULT_BACKOFF.delayAfter(message.attempt());
        }
    }

    private static void debug(String text, ReceivedMessage message, @Nullable Throwable error) {
        if (log.isDebugEnabled()) {
            log.debug(text, message, error == null ? null : Failures.loggable(error));
        }
    }
}
