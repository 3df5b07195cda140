package io.delayqueue.internal.engine.dispatch;

import io.delayqueue.internal.engine.settle.InFlightMessage;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A taken handler slot and its message. Thread-safe. */
public final class HandlerSlot {

    private static final Logger log = LoggerFactory.getLogger("io.delayqueue");

    private final HandlerSlots slots;
    private final InFlightMessage message;
    private final long takenNanos = System.nanoTime();
    private final AtomicBoolean free = new AtomicBoolean();

    HandlerSlot(HandlerSlots slots, InFlightMessage message) {
        this.slots = slots;
        this.message = message;
    }

    /** Handles the message on the current thread, then frees the slot. Throws nothing: its worker has more to do. */
    void run() {
        try {
            slots.owner().handle(message, this);
        } catch (Throwable e) {
            notHandled(e);
        } finally {
            // this worker comes for the next message itself
            free(false);
        }
    }

    private void notHandled(Throwable reason) {
        try {
            slots.owner().notHandled(message, reason);
        } catch (RuntimeException | Error e) {
            log.error(
                    "{} was neither handled nor released; it is delivered again when this process ends",
                    message.message(),
                    e);
        }
    }

    /** Runs a task that calls the user's code while its handler still runs. */
    void runBeside(Runnable task) {
        slots.pool().execute(task);
    }

    /** Frees the slot while its handler still runs. Idempotent. */
    void freeEarly() {
        free(true);
    }

    private void free(boolean callsWorker) {
        if (free.compareAndSet(false, true)) {
            slots.free(System.nanoTime() - takenNanos, callsWorker);
        }
    }
}
