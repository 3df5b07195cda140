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
        HandlerCall call;
        CallEnd end;
        try {
            if (message.isLeaseLost()) {
                releaseUnhandled(message);
                return;
            }
            context.client().observer().call(observer -> observer.delivered(message.message(), lag));
            call = new HandlerCall(message, slot);
            call.timeout = scheduleTimeout(call);
            end = invoke(call);
        } finally {
            message.end();
        }
        if (end.stage != null) {
            await(end.stage, call);
        } else {
            ended(call, end.error);
        }
    }

    /** This process stood still since the claim: another one may have the message by now. */
    private void releaseUnhandled(InFlightMessage message) {
        if (message.decide()) {
            Outcomes.debug("the lease of {} was over before its handler began", message.message(), null);
            settle.accept(new Settlement.Release(message));
        }
    }

    private CallEnd invoke(HandlerCall call) {
        ReceivedMessage received = call.message.message();
        try {
            if (handler instanceof AsyncMessageHandler async) {
                CompletionStage<?> stage = async.handleAsync(received, call.delivery);
                return new CallEnd(Objects.requireNonNull(stage, "an AsyncMessageHandler must return a stage"), null);
            }
            handler.handle(received, call.delivery);
            return new CallEnd(null, null);
        } catch (Throwable e) {
            return new CallEnd(null, e);
        }
    }

    /** The slot stays taken until the stage completes. */
    private void await(CompletionStage<?> stage, HandlerCall call) {
        HandlerSlot slot = call.slot;
        slot.beginPart();
        try {
            if (stage instanceof Future<?> future) {
                // not on the thread that interrupts: a cancel runs what the user chained to the stage
                call.message.continueInStage(() -> slot.runBeside(() -> cancel(future, call)));
            }
            stage.whenComplete((value, error) -> stageCompleted(call, error));
        } catch (Throwable e) {
            stageCompleted(call, e);
        }
    }

    private static void cancel(Future<?> stage, HandlerCall call) {
        try {
            stage.cancel(true);
        } catch (Throwable e) {
            Outcomes.debug("the stage of {} can't be cancelled", call.message.message(), e);
        }
    }

    /** On whatever thread completed the stage, which may serve others: only an ack, which calls no retry predicate, is made on it. */
    private void stageCompleted(HandlerCall call, @Nullable Throwable error) {
        if (!call.stageCompleted.compareAndSet(false, true)) {
            return;
        }
        try {
            if (error == null) {
                ended(call, null);
            } else {
                call.slot.runBeside(() -> ended(call, FutureErrors.unwrap(error)));
            }
        } finally {
            call.slot.endPart();
        }
    }

    private void ended(HandlerCall call, @Nullable Throwable error) {
        call.slot.handlerEnded();
        Future<?> timeout = call.timeout;
        if (timeout != null) {
            timeout.cancel(false);
        }
        if (call.message.decide()) {
            conclude(call, call.delivery.requested(), error);
        } else {
            Outcomes.debug("{} was settled before its handler ended", call.message.message(), error);
        }
    }

    private @Nullable Future<?> scheduleTimeout(HandlerCall call) {
        Duration timeout = context.options().timeout();
        return timeout == null
                ? null
                : context.client().timer().schedule(() -> timeOut(call), Nanos.of(timeout), TimeUnit.NANOSECONDS);
    }

    private void timeOut(HandlerCall call) {
        if (!call.slot.beginPart()) {
            return;
        }
        try {
            if (call.message.decide()) {
                call.message.interrupt();
                // observer, retry predicate and backoff are the user's, and the timer serves all subscriptions
                call.slot.runBeside(() -> concludeTimeout(call));
            }
        } finally {
            call.slot.endPart();
        }
    }

    private void concludeTimeout(HandlerCall call) {
        String text = "the handler took longer than " + context.options().timeout();
        try {
            TimeoutException error = new TimeoutException(text);
            report(call, error);
            settle.accept(outcomes.timedOut(call.message, error));
            ReceivedMessage received = call.message.message();
            log.warn(
                    "Attempt {} of {} of message '{}' of topic '{}' failed: {}",
                    received.attempt(),
                    received.maxAttempts(),
                    received.id(),
                    received.topic(),
                    text);
        } finally {
            // its thread may never come back; the slot must
            abandon(call.slot);
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
    private void conclude(HandlerCall call, @Nullable RequestedOutcome requested, @Nullable Throwable error) {
        report(call, error);
        settle.accept(outcomes.settlement(call.message, requested, error));
    }

    private void report(HandlerCall call, @Nullable Throwable error) {
        Duration duration = Duration.ofNanos(System.nanoTime() - call.begunNanos);
        ReceivedMessage received = call.message.message();
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
    private final class HandlerCall {

        final InFlightMessage message;
        final HandlerSlot slot;
        final HandlerDelivery delivery;
        final long begunNanos = System.nanoTime();
        final AtomicBoolean stageCompleted = new AtomicBoolean();
        volatile @Nullable Future<?> timeout;

        HandlerCall(InFlightMessage message, HandlerSlot slot) {
            this.message = message;
            this.slot = slot;
            this.delivery = new HandlerDelivery(
                    message, settlements, context.client().options().commandTimeout());
        }
    }
}
