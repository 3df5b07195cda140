package io.delayqueue.internal.engine.dispatch;

import io.delayqueue.internal.engine.settle.InFlightMessage;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The handler slots of one subscription, as many as its concurrency, and its messages that wait for one: in the {@link DueQueue}
 * until they are due, then here. Thread-safe.
 */
public final class HandlerSlots {

    private static final Logger log = LoggerFactory.getLogger("io.delayqueue");

    /** No message is claimed for this long after no worker thread could be started: a retry at once would most likely fail, too. */
    private static final long NO_WORKER_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final HandlerPool pool;
    private final DueQueue dueQueue;
    private final ScheduledExecutorService timer;
    private final SlotOwner owner;
    /** One object, since {@link DueQueue#remove} compares it. */
    private final Consumer<InFlightMessage> whenDue = this::becameDue;

    private final ReentrantLock lock;
    private final Condition idle;
    private final PrefetchBudget budget;
    private final ReadyQueue ready = new ReadyQueue();
    private boolean patienceTimed;
    private boolean pausing;
    private boolean stopped;

    /** @param concurrency how many slots there are */
    public HandlerSlots(
            HandlerPool pool, DueQueue dueQueue, ScheduledExecutorService timer, int concurrency, SlotOwner owner) {
        this.pool = pool;
        this.dueQueue = dueQueue;
        this.timer = timer;
        this.owner = owner;
        this.lock = pool.lock();
        this.idle = lock.newCondition();
        this.budget = new PrefetchBudget(concurrency);
    }

    /** The number of messages that can still be claimed. */
    public Capacity capacity() {
        lock.lock();
        try {
            return pausing ? new Capacity(0, 1) : budget.capacity();
        } finally {
            lock.unlock();
        }
    }

    /** Keeps the capacity there is for a claim of at most that many messages. */
    public Reservation reserve(int max) {
        lock.lock();
        try {
            return pausing ? Reservation.NONE : budget.reserve(max);
        } finally {
            lock.unlock();
        }
    }

    /** Ends a reservation, after the messages of its claim were accepted. */
    public void release(Reservation reservation) {
        Capacity capacity;
        lock.lock();
        try {
            budget.release(reservation);
            capacity = budget.capacity();
        } finally {
            lock.unlock();
        }
        report(capacity);
    }

    /** Takes messages that were just claimed: each runs in a slot once it is due. Returns false if this has been stopped. */
    public boolean accept(List<InFlightMessage> messages) {
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
                } else {
                    ready.add(message);
                }
            }
            budget.accepted(early.size(), messages.size() - early.size());
            callWorker = offer();
        } finally {
            lock.unlock();
        }
        pool.callWorkerIf(callWorker);
        if (!early.isEmpty()) {
            keepUntilDue(early);
        }
        return true;
    }

    private void keepUntilDue(List<InFlightMessage> early) {
        try {
            dueQueue.add(early, whenDue);
        } catch (RuntimeException | Error e) {
            lock.lock();
            try {
                budget.removeEarly(early.size());
            } finally {
                lock.unlock();
            }
            each(early, message -> owner.noWorker(message, e));
        }
    }

    /** Takes a message from the due queue, whose thread serves all subscriptions. */
    private void becameDue(InFlightMessage message) {
        try {
            pool.callWorkerIf(addReady(message));
        } catch (RuntimeException | Error e) {
            owner.notHandled(message, e);
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
        pool.offer(this);
        timePatience();
        return pool.claimWorkerCall();
    }

    HandlerPool pool() {
        return pool;
    }

    SlotOwner owner() {
        return owner;
    }

    boolean canRun() {
        return !ready.isEmpty() && budget.hasFreeSlot();
    }

    /** Gives a slot to the message that waits longest. The pool calls it under the lock. */
    @Nullable
    HandlerSlot take() {
        if (!canRun()) {
            return null;
        }
        budget.takeSlot();
        HandlerSlot slot = new HandlerSlot(this, ready.remove());
        timePatience();
        return slot;
    }

    /** One alarm at a time for all messages that wait for a slot. */
    private void timePatience() {
        if (!patienceTimed && !ready.isEmpty() && !budget.hasFreeSlot()) {
            patienceTimed = schedule(this::releaseImpatient, ready.nanosOfPatience());
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
        each(impatient, owner::noSlot);
    }

    /** No worker could be started for the ready messages: gives them up, and claims none for a while. */
    void giveUpReady(Throwable reason) {
        List<InFlightMessage> givenUp;
        lock.lock();
        try {
            givenUp = drainReady();
            pool.remove(this);
            pausing = schedule(this::endPause, NO_WORKER_PAUSE_NANOS);
        } finally {
            lock.unlock();
        }
        each(givenUp, message -> owner.noWorker(message, reason));
    }

    /** A message whose release fails holds up no other. */
    private static void each(List<InFlightMessage> messages, Consumer<InFlightMessage> action) {
        for (InFlightMessage message : messages) {
            try {
                action.accept(message);
            } catch (RuntimeException | Error e) {
                log.error("{} was not released; it comes again after its lease", message.message(), e);
            }
        }
    }

    private void endPause() {
        lock.lock();
        try {
            pausing = false;
        } finally {
            lock.unlock();
        }
        release(Reservation.NONE);
    }

    private List<InFlightMessage> drainReady() {
        List<InFlightMessage> drained = ready.removeAll();
        budget.removeReady(drained.size());
        return drained;
    }

    private boolean schedule(Runnable task, long nanos) {
        try {
            timer.schedule(task, nanos, TimeUnit.NANOSECONDS);
            return true;
        } catch (RejectedExecutionException closed) {
            return false;
        }
    }

    private void report(Capacity capacity) {
        if (capacity.free() > 0) {
            owner.capacityFreed(capacity);
        }
    }

    /** Frees a slot that was taken for that long. */
    void free(long takenNanos, boolean callsWorker) {
        boolean callWorker;
        Capacity capacity;
        lock.lock();
        try {
            budget.freeSlot(takenNanos);
            pool.offer(this);
            callWorker = callsWorker && pool.claimWorkerCall();
            capacity = budget.capacity();
            if (!budget.hasTakenSlot()) {
                idle.signalAll();
            }
        } finally {
            lock.unlock();
        }
        pool.callWorkerIf(callWorker);
        report(capacity);
    }

    /** Takes no more messages, and forgets those that wait. */
    public void stop() {
        lock.lock();
        try {
            stopped = true;
            drainReady();
            pool.remove(this);
        } finally {
            lock.unlock();
        }
        dueQueue.remove(whenDue);
    }

    /** Waits until no slot is taken. Returns false if that took longer. */
    public boolean awaitIdle(long nanos) throws InterruptedException {
        lock.lock();
        try {
            long left = nanos;
            while (budget.hasTakenSlot()) {
                if (left <= 0) {
                    return false;
                }
                left = idle.awaitNanos(left);
            }
            return true;
        } finally {
            lock.unlock();
        }
    }
}
