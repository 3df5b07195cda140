package io.delayqueue.internal.engine.dispatch;

import io.delayqueue.internal.engine.settle.InFlightMessage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A taken handler slot and its message. Its handler has ended when every part of it has: the call on the worker, the stage it
 * returned, and what runs beside it. Thread-safe.
 */
public final class HandlerSlot {

    private static final Logger log = LoggerFactory.getLogger("io.delayqueue");

    private final HandlerSlots slots;
    private final InFlightMessage message;
    private final long begunNanos = System.nanoTime();
    private final AtomicInteger parts = new AtomicInteger(1);
    private final AtomicBoolean handlerEnded = new AtomicBoolean();
    private boolean abandoned;
    private boolean ended;

    HandlerSlot(HandlerSlots slots, InFlightMessage message) {
        this.slots = slots;
        this.message = message;
    }

    /** Handles the message on the current thread, which is a worker. */
    void run() {
        try {
            slots.owner().handle(message, this);
        } catch (Throwable e) {
            notHandled(e);
        } finally {
            // this worker comes for the next message itself
            endPart(false);
        }
    }

    private void notHandled(Throwable reason) {
        try {
            slots.notHandled(message, reason);
        } catch (Throwable e) {
            log.error(
                    "{} was neither handled nor released; it is delivered again when this process ends",
                    message.message(),
                    e);
        }
    }

    /** A further part of the handler begins; {@link #endPart()} ends it. Returns false if the handler has ended before. */
    boolean beginPart() {
        return parts.getAndUpdate(count -> count == 0 ? 0 : count + 1) > 0;
    }

    void endPart() {
        endPart(true);
    }

    private void endPart(boolean callsWorker) {
        if (parts.decrementAndGet() == 0) {
            handlerEnded();
            slots.end(this, callsWorker);
        }
    }

    /** The user's handler has returned, and its stage is complete. At the latest that is so when the last part ends. */
    void handlerEnded() {
        if (handlerEnded.compareAndSet(false, true)) {
            slots.owner().handlerEnded();
        }
    }

    /** Runs a task that calls the user's code on a worker, as a part of the handler. No effect if the handler has ended. */
    void runBeside(Runnable task) {
        if (!beginPart()) {
            return;
        }
        slots.pool().execute(() -> {
            try {
                task.run();
            } finally {
                endPart();
            }
        });
    }

    /** Frees the slot while its handler still runs, as far as {@link HandlerSlots} allows it. */
    void abandonHandler() {
        slots.abandon(this);
    }

    int abandonedHandlers() {
        return slots.abandoned();
    }

    /** Returns false if the handler has ended, or is abandoned already. Called under the lock. */
    boolean abandon() {
        boolean first = !ended && !abandoned;
        abandoned |= first;
        return first;
    }

    /** Returns whether the handler was abandoned. Called under the lock. */
    boolean end() {
        ended = true;
        return abandoned;
    }

    /** Time since the slot was taken. */
    long takenNanos() {
        return System.nanoTime() - begunNanos;
    }
}
