package io.delayqueue.internal.engine.dispatch;

import io.delayqueue.AsyncMessageHandler;
import io.delayqueue.MessageHandler;
import io.delayqueue.ReceivedMessage;
import io.delayqueue.internal.FutureErrors;
import io.delayqueue.internal.Nanos;
import io.delayqueue.internal.engine.settle.InFlightMessage;
import io.delayqueue.internal.engine.settle.Settlement;
import io.delayqueue.internal.engine.settle.Settlements;
import io.delayqueue.internal.engine.shared.ConsumerContext;
import io.delayqueue.internal.engine.shared.ThrottledLog;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Calls the user's handler, and settles its message by the way it ends: by return, by throw, by its stage, by its timeout. If
 * anything fails on the way, the message is settled nevertheless, or its lease ends. Thread-safe.
 */
public final class HandlerInvoker {

    private static final Logger log = LoggerFactory.getLogger("io.delayqueue");

    private final ConsumerContext context;
    private final MessageHandler handler;
    private final Settlements settlements;
    private final Outcomes outcomes;
    private final Consumer<Settlement> settle;
    private final ThrottledLog abandonedLog;

    /**
     * Calls the handler of one subscription.
     *
     * @param handler the user's
     * @param settlements extend leases
     * @param settle settles a message that was decided
     */
    public HandlerInvoker(
            ConsumerContext context, MessageHandler handler, Settlements settlements, Consumer<Settlement> settle) {
        this.context = context;
        this.handler = handler;
        this.settlements = settlements;
        this.outcomes = new Outcomes(context);
        this.settle = settle;
        this.abandonedLog = new ThrottledLog("Topic '" + context.topic() + "'");
    }

    /** From now on a failure means that the handler was interrupted by the end of the subscription: its message is released. */
    public void interrupting() {
        outcomes.interrupting();
    }

    /** Begins to handle a message on the current thread, unless it was decided before. */
    public void handle(InFlightMessage message, HandlerSlot slot) {
        Duration lag = Duration.ofNanos(Math.max(0, message.lateNanos()));
        if (!message.begin()) {
            return;
        }
        Handling handling;
        CallEnd end;
        try {
            if (message.isLeaseLost()) {
                releaseUnhandled(message);
                return;
            }
            context.client().observer().call(observer -> observer.delivered(message.message(), lag));
            handling = new Handling(message, slot);
            handling.timeout = scheduleTimeout(handling);
            end = call(handling);
        } finally {
            message.end();
        }
        if (end.stage != null) {
            await(end.stage, handling);
        } else {
            ended(handling, end.error);
        }
    }

    /** This process stood still since the claim: another one may have the message by now. */
    private void releaseUnhandled(InFlightMessage message) {
        if (message.decide()) {
            Outcomes.debug("the lease of {} was over before its handler began", message.message(), null);
            settle.accept(new Settlement.Release(message));
        }
    }

    private CallEnd call(Handling handling) {
        ReceivedMessage received = handling.message.message();
        try {
            if (handler instanceof AsyncMessageHandler async) {
                CompletionStage<?> stage = async.handleAsync(received, handling.delivery);
                return new CallEnd(Objects.requireNonNull(stage, "an AsyncMessageHandler must return a stage"), null);
            }
            handler.handle(received, handling.delivery);
            return new CallEnd(null, null);
        } catch (Throwable e) {
            return new CallEnd(null, e);
        }
    }

    /** The slot stays taken until the stage completes. */
    private void await(CompletionStage<?> stage, Handling handling) {
        HandlerSlot slot = handling.slot;
        slot.beginPart();
        try {
            if (stage instanceof Future<?> future) {
                // not on the thread that interrupts: a cancel runs what the user chained to the stage
                handling.message.continueInStage(() -> slot.runBeside(() -> cancel(future, handling)));
            }
            stage.whenComplete((value, error) -> stageCompleted(handling, error));
        } catch (Throwable e) {
            stageCompleted(handling, e);
        }
    }

    private static void cancel(Future<?> stage, Handling handling) {
        try {
            stage.cancel(true);
        } catch (Throwable e) {
            Outcomes.debug("the stage of {} can't be cancelled", handling.message.message(), e);
        }
    }

    /** On whatever thread completed the stage, which may serve others: only an ack, which calls no retry predicate, is made on it. */
    private void stageCompleted(Handling handling, @Nullable Throwable error) {
        if (!handling.stageCompleted.compareAndSet(false, true)) {
            return;
        }
        try {
            if (error == null) {
                ended(handling, null);
            } else {
                handling.slot.runBeside(() -> ended(handling, FutureErrors.unwrap(error)));
            }
        } finally {
            handling.slot.endPart();
        }
    }

    private void ended(Handling handling, @Nullable Throwable error) {
        handling.slot.handlerEnded();
        Future<?> timeout = handling.timeout;
        if (timeout != null) {
            timeout.cancel(false);
        }
        if (handling.message.decide()) {
            conclude(handling, handling.delivery.requested(), error);
        } else {
            Outcomes.debug("{} was settled before its handler ended", handling.message.message(), error);
        }
    }

    private @Nullable Future<?> scheduleTimeout(Handling handling) {
        Duration timeout = context.options().timeout();
        return timeout == null
                ? null
                : context.client().timer().schedule(() -> timeOut(handling), Nanos.of(timeout), TimeUnit.NANOSECONDS);
    }

    private void timeOut(Handling handling) {
        if (!handling.slot.beginPart()) {
            return;
        }
        try {
            if (handling.message.decide()) {
                handling.message.interrupt();
                // observer, retry predicate and backoff are the user's, and the timer serves all subscriptions
                handling.slot.runBeside(() -> concludeTimeout(handling));
            }
        } finally {
            handling.slot.endPart();
        }
    }

    private void concludeTimeout(Handling handling) {
        String text = "the handler took longer than " + context.options().timeout();
        try {
            TimeoutException error = new TimeoutException(text);
            report(handling, error);
            settle.accept(outcomes.timedOut(handling.message, error));
            log.warn("{} failed: {}", handling.message.message(), text);
        } finally {
            // its thread may never come back; the slot must
            abandon(handling.slot);
        }
    }

    private void abandon(HandlerSlot slot) {
        slot.abandonHandler();
        int abandoned = slot.abandonedHandlers();
        int slots = context.options().concurrency();
        if (abandoned > slots) {
            abandonedLog.warn(abandoned + " handlers exceeded their timeout of "
                    + context.options().timeout() + ", ignored the interrupt and still run; "
                    + Math.min(slots, abandoned - slots) + " of " + slots
                    + " handler slots are lost until some of them end");
        }
    }

    /** Reports the outcome of a message that the caller has decided, and settles it: nobody else will. */
    private void conclude(Handling handling, @Nullable RequestedOutcome requested, @Nullable Throwable error) {
        report(handling, error);
        settle.accept(outcomes.settlement(handling.message, requested, error));
    }

    private void report(Handling handling, @Nullable Throwable error) {
        Duration duration = Duration.ofNanos(System.nanoTime() - handling.begunNanos);
        ReceivedMessage received = handling.message.message();
        context.client().observer().call(observer -> observer.handled(received, duration, error));
    }

    /**
     * The end of a call of the handler.
     *
     * @param stage in which the handling goes on; null if it has ended
     * @param error that the handler threw
     */
    private record CallEnd(
            @Nullable CompletionStage<?> stage, @Nullable Throwable error) {}

    /** One call of the handler. */
    private final class Handling {

        final InFlightMessage message;
        final HandlerSlot slot;
        final HandlerDelivery delivery;
        final long begunNanos = System.nanoTime();
        final AtomicBoolean stageCompleted = new AtomicBoolean();
        volatile @Nullable Future<?> timeout;

        Handling(InFlightMessage message, HandlerSlot slot) {
            this.message = message;
            this.slot = slot;
            this.delivery = new HandlerDelivery(
                    message, settlements, context.client().options().commandTimeout());
        }
    }
}
