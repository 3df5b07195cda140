package io.delayqueue.internal.engine.dispatch;

import io.delayqueue.internal.engine.settle.InFlightMessage;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The claimed messages of one subscription that wait: in the {@link DueQueue} until they are due, then here for a handler slot. A due
 * message that gets none in time is released. Thread-safe; guarded by the lock of the {@link HandlerPool}.
 */
final class WaitingMessages {

    private static final Logger log = LoggerFactory.getLogger("io.delayqueue");

    private final HandlerSlots slots;
    private final DueQueue dueQueue;
    private final ScheduledExecutorService timer;
    private final PrefetchBudget budget;
    private final ReentrantLock lock;
    /** One object, since {@link DueQueue#remove} compares it. */
    private final Consumer<InFlightMessage> whenDue = this::becameDue;

    private final ReadyQueue ready = new ReadyQueue();
    private boolean patienceTimed;
    private volatile boolean stopped;

    WaitingMessages(HandlerSlots slots, DueQueue dueQueue, ScheduledExecutorService timer, PrefetchBudget budget) {
        this.slots = slots;
        this.dueQueue = dueQueue;
        this.timer = timer;
        this.budget = budget;
        this.lock = slots.pool().lock();
    }

    /** Takes messages that were just claimed. Returns false if this has been stopped. */
    boolean add(List<InFlightMessage> messages) {
        List<InFlightMessage> early = new ArrayList<>();
        boolean callWorker;
        lock.lock();
        try {
            if (stopped) {
                return false;
            }
            for (InFlightMessage message : messages) {
                if (message.lateNanos() < 0) {
                    early.add(message);
                    budget.accepted(1, 0);
                } else {
                    ready.add(message);
                    budget.accepted(0, 1);
                }
            }
            callWorker = offer();
        } finally {
            lock.unlock();
        }
        slots.pool().callWorkerIf(callWorker);
        if (!early.isEmpty()) {
            keepUntilDue(early);
        }
        return true;
    }

    private void keepUntilDue(List<InFlightMessage> early) {
        try {
            dueQueue.add(early, whenDue, () -> stopped);
        } catch (Throwable e) {
            lock.lock();
            try {
                budget.removeEarly(early.size());
            } finally {
                lock.unlock();
            }
            each(early, message -> slots.owner().notStarted(message, e));
        }
    }

    /** Takes a message from the due queue, whose thread serves all subscriptions. */
    private void becameDue(InFlightMessage message) {
        try {
            slots.pool().callWorkerIf(addReady(message));
        } catch (Throwable e) {
            slots.owner().notHandled(message, e);
        }
    }

    private boolean addReady(InFlightMessage message) {
        lock.lock();
        try {
            if (stopped) {
                return false;
            }
            budget.becameReady();
            ready.add(message);
            return offer();
        } finally {
            lock.unlock();
        }
    }

    private boolean offer() {
        slots.pool().offer(slots);
        timePatience();
        return slots.pool().claimWorkerCall();
    }

    /** Whether no message waits for a slot. Call it under the lock. */
    boolean isNoneReady() {
        return ready.isEmpty();
    }

    /** Removes the message that waits longest for a slot; it has one now. There must be one. Call it under the lock. */
    InFlightMessage remove() {
        InFlightMessage next = ready.remove();
        timePatience();
        return next;
    }

    /** One alarm at a time for all messages that wait for a slot. */
    private void timePatience() {
        if (!patienceTimed && !ready.isEmpty() && !budget.hasFreeSlot()) {
            try {
                timer.schedule(this::releaseImpatient, ready.nanosOfPatience(), TimeUnit.NANOSECONDS);
                patienceTimed = true;
            } catch (RejectedExecutionException closed) {
                // the messages are released at the stop
            }
        }
    }

    private void releaseImpatient() {
        List<InFlightMessage> impatient = new ArrayList<>();
        lock.lock();
        try {
            patienceTimed = false;
            if (!budget.hasFreeSlot()) {
                for (InFlightMessage next = ready.removeImpatient(); next != null; next = ready.removeImpatient()) {
                    impatient.add(next);
                }
            }
            if (!impatient.isEmpty()) {
                budget.removeReady(impatient.size());
                budget.slotsWereTooFew();
            }
            timePatience();
        } finally {
            lock.unlock();
        }
        each(impatient, slots.owner()::noSlot);
    }

    /** Forgets the messages that wait for a slot. Call it under the lock. */
    List<InFlightMessage> drainReady() {
        List<InFlightMessage> drained = ready.removeAll();
        budget.removeReady(drained.size());
        return drained;
    }

    /** Takes no more messages, and forgets those that wait. */
    void stop() {
        lock.lock();
        try {
            stopped = true;
            drainReady();
        } finally {
            lock.unlock();
        }
        dueQueue.remove(whenDue);
    }

    /** A message whose release fails holds up no other. */
    static void each(List<InFlightMessage> messages, Consumer<InFlightMessage> action) {
        for (InFlightMessage message : messages) {
            try {
                action.accept(message);
            } catch (Throwable e) {
                log.error("{} was not released; it is delivered again after its lease", message.message(), e);
            }
        }
    }
}
