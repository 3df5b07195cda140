package io.delayqueue.internal.engine.dispatch;

import io.delayqueue.internal.engine.settle.InFlightMessage;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The handler slots of one subscription, as many as its concurrency, and its {@link WaitingMessages}. A slot is taken until its
 * handler ends, or is <em>abandoned</em> after its timeout. There are at most as many abandoned handlers as slots; any further one
 * keeps its slot. So a subscription has at most twice as many handlers as slots. Thread-safe.
 */
public final class HandlerSlots implements MessageSlots {

    /**
     * No message is claimed for this long after one could not be handled, such as for want of a thread. A retry at once would most
     * likely fail, too.
     */
    private static final long NOT_HANDLED_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final HandlerPool pool;
    private final ScheduledExecutorService timer;
    private final SlotOwner owner;
    private final int concurrency;
    private final ReentrantLock lock;
    private final Condition idle;
    private final PrefetchBudget budget;
    private final WaitingMessages waiting;
    private int abandoned;
    private boolean pausing;

    /** @param concurrency how many slots there are */
    public HandlerSlots(
            HandlerPool pool, DueQueue dueQueue, ScheduledExecutorService timer, int concurrency, SlotOwner owner) {
        this.pool = pool;
        this.timer = timer;
        this.owner = owner;
        this.concurrency = concurrency;
        this.lock = pool.lock();
        this.idle = lock.newCondition();
        this.budget = new PrefetchBudget(concurrency);
        this.waiting = new WaitingMessages(this, dueQueue, timer, budget);
    }

    HandlerPool pool() {
        return pool;
    }

    SlotOwner owner() {
        return owner;
    }

    @Override
    public Capacity capacity() {
        lock.lock();
        try {
            return capacityNow();
        } finally {
            lock.unlock();
        }
    }

    private Capacity capacityNow() {
        return pausing ? new Capacity(0, 1) : budget.capacity();
    }

    @Override
    public Reservation reserve(int max) {
        lock.lock();
        try {
            return pausing ? Reservation.NONE : budget.reserve(max);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void release(Reservation reservation) {
        Capacity capacity;
        lock.lock();
        try {
            budget.release(reservation);
            capacity = capacityNow();
        } finally {
            lock.unlock();
        }
        report(capacity);
    }

    private void report(Capacity capacity) {
        if (capacity.free() > 0) {
            owner.capacityFreed(capacity);
        }
    }

    /**
     * Takes messages that were just claimed: each runs in a slot once it is due. One that can't be taken is passed to
     * {@link SlotOwner#notStarted}. Returns false if this has been stopped.
     */
    public boolean accept(List<InFlightMessage> messages) {
        try {
            return waiting.add(messages);
        } catch (Throwable e) {
            // a message that nobody waits for would be renewed for ever
            WaitingMessages.each(messages, message -> owner.notStarted(message, e));
            pauseClaims();
            return true;
        }
    }

    boolean canRun() {
        return !waiting.isNoneReady() && budget.hasFreeSlot();
    }

    /** Gives a slot to the message that waits longest. The pool calls it under the lock. */
    @Nullable
    HandlerSlot take() {
        if (!canRun()) {
            return null;
        }
        budget.takeSlot();
        return new HandlerSlot(this, waiting.remove());
    }

    /** No worker could be started for the ready messages: gives them up, and claims none for a while. */
    void giveUpReady(Throwable reason) {
        List<InFlightMessage> givenUp;
        lock.lock();
        try {
            givenUp = waiting.drainReady();
            pool.remove(this);
            pauseClaims();
        } finally {
            lock.unlock();
        }
        WaitingMessages.each(givenUp, message -> owner.notStarted(message, reason));
    }

    /** A message could not be handled, for a reason that is not its handler's. */
    void notHandled(InFlightMessage message, Throwable reason) {
        // before the message is released: it would be claimed at once
        pauseClaims();
        owner.notHandled(message, reason);
    }

    private void pauseClaims() {
        lock.lock();
        try {
            if (!pausing) {
                timer.schedule(this::endPause, NOT_HANDLED_PAUSE_NANOS, TimeUnit.NANOSECONDS);
                pausing = true;
            }
        } catch (RejectedExecutionException closed) {
            // nothing is claimed any more
        } finally {
            lock.unlock();
        }
    }

    private void endPause() {
        Capacity capacity;
        lock.lock();
        try {
            pausing = false;
            capacity = capacityNow();
        } finally {
            lock.unlock();
        }
        report(capacity);
    }

    /** The handler of this slot exceeded its timeout: frees the slot, unless there are too many such handlers already. */
    void abandon(HandlerSlot slot) {
        boolean callWorker = false;
        Capacity capacity;
        lock.lock();
        try {
            if (!slot.abandon()) {
                return;
            }
            abandoned++;
            if (abandoned <= concurrency) {
                callWorker = freeSlot(slot, true);
            }
            signalIfIdle();
            capacity = capacityNow();
        } finally {
            lock.unlock();
        }
        pool.callWorkerIf(callWorker);
        report(capacity);
    }

    /** The handler of this slot has ended. */
    void end(HandlerSlot slot, boolean callsWorker) {
        boolean callWorker = false;
        Capacity capacity;
        lock.lock();
        try {
            boolean freesSlot = true;
            if (slot.end()) {
                // it has freed its slot already, unless abandoned handlers keep some: then one of these is free now
                freesSlot = lostSlots() > 0;
                abandoned--;
            }
            if (freesSlot) {
                callWorker = freeSlot(slot, callsWorker);
            }
            signalIfIdle();
            capacity = capacityNow();
        } finally {
            lock.unlock();
        }
        pool.callWorkerIf(callWorker);
        report(capacity);
    }

    private boolean freeSlot(HandlerSlot slot, boolean callsWorker) {
        budget.freeSlot(slot.takenNanos());
        pool.offer(this);
        return callsWorker && pool.claimWorkerCall();
    }

    private void signalIfIdle() {
        if (!isHandling()) {
            idle.signalAll();
        }
    }

    /** Whether a slot is taken by a handler that was not abandoned. */
    private boolean isHandling() {
        return budget.takenSlots() > lostSlots();
    }

    private int lostSlots() {
        return Math.max(0, abandoned - concurrency);
    }

    /** The number of slots without a handler. */
    public int free() {
        return underLock(() -> budget.freeSlots());
    }

    /** The number of messages that wait until they are due, or for a slot. */
    public int waiting() {
        return underLock(() -> budget.waiting());
    }

    /** The number of handlers that exceeded their timeout and still run. */
    public int abandoned() {
        return underLock(() -> abandoned);
    }

    private int underLock(IntSupplier number) {
        lock.lock();
        try {
            return number.getAsInt();
        } finally {
            lock.unlock();
        }
    }

    /** Whether abandoned handlers keep slots. */
    public boolean hasLostSlots() {
        return abandoned() > concurrency;
    }

    /** Takes no more messages, and forgets those that wait. */
    public void stop() {
        waiting.stop();
        lock.lock();
        try {
            pool.remove(this);
        } finally {
            lock.unlock();
        }
    }

    /** Waits until every handler has ended or is abandoned. Returns false if that took longer. */
    public boolean awaitIdle(long nanos) throws InterruptedException {
        lock.lock();
        try {
            long left = nanos;
            while (isHandling()) {
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
