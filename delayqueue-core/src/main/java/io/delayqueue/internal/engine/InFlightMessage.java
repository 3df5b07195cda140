package io.delayqueue.internal.engine;

import io.delayqueue.ReceivedMessage;
import io.delayqueue.internal.store.Claimed;
import io.delayqueue.internal.store.Lease;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A leased message in this process: where its handling stands, and what is known of its lease.
 *
 * <p>States: waiting → handling → decided, or waiting → decided. Whoever decides it (the handler's thread, its timeout, or
 * the end of the subscription) says what becomes of it, once.
 */
final class InFlightMessage {

    private enum State {
        WAITING,
        HANDLING,
        DECIDED
    }

    private final Claimed claimed;
    private final long dueNanos;
    private final Settlements settlements;
    private final AtomicReference<State> state = new AtomicReference<>(State.WAITING);
    private final AtomicReference<@Nullable CompletableFuture<Boolean>> lastSettlement = new AtomicReference<>();
    private final ReentrantLock threadLock = new ReentrantLock();
    private @Nullable Thread thread;
    private volatile boolean renewing;
    private volatile long receipt;
    private volatile long leaseEndsNanos;
    private volatile boolean leaseLost;

    /**
     * @param dueNanos when it is due, at the latest, by {@link System#nanoTime()}
     * @param leaseEndsNanos when the lease ends at the earliest, by {@link System#nanoTime()}
     * @param settlements those of its partition
     */
    InFlightMessage(Claimed claimed, long dueNanos, long leaseEndsNanos, Settlements settlements) {
        this.claimed = claimed;
        this.dueNanos = dueNanos;
        this.settlements = settlements;
        this.receipt = claimed.receipt();
        this.leaseEndsNanos = leaseEndsNanos;
    }

    ReceivedMessage message() {
        return claimed.message();
    }

    /** Where it is settled. */
    Settlements settlements() {
        return settlements;
    }

    /** Notes what settles it next; returns what was noted before, null at first. */
    @Nullable
    CompletableFuture<Boolean> settledNext(CompletableFuture<Boolean> settlement) {
        return lastSettlement.getAndSet(settlement);
    }

    long dueMicros() {
        return claimed.dueMicros();
    }

    /** The right to settle it, as last renewed. */
    Lease lease() {
        return new Lease(message().id(), receipt);
    }

    /** When it is due, by {@link System#nanoTime()}. */
    long dueNanos() {
        return dueNanos;
    }

    /** How late it is; negative if it is not due yet. */
    long lateNanos() {
        return System.nanoTime() - dueNanos;
    }

    /** The current thread takes the message up; false if it was decided before. */
    boolean begin() {
        if (!state.compareAndSet(State.WAITING, State.HANDLING)) {
            return false;
        }
        setThread(Thread.currentThread());
        return true;
    }

    /** The current thread is done with the message; an interrupt meant for it does not reach its next work. */
    void end() {
        setThread(null);
        Thread.interrupted();
    }

    private void setThread(@Nullable Thread handling) {
        threadLock.lock();
        try {
            thread = handling;
        } finally {
            threadLock.unlock();
        }
    }

    /** True for the one who may say what becomes of it. */
    boolean decide() {
        return state.getAndSet(State.DECIDED) != State.DECIDED;
    }

    /** As {@link #decide}, only if no handler has begun. */
    boolean decideUnlessBegun() {
        return state.compareAndSet(State.WAITING, State.DECIDED);
    }

    boolean isDecided() {
        return state.get() == State.DECIDED;
    }

    /** Interrupts the handler, if one is at it. */
    void interrupt() {
        threadLock.lock();
        try {
            if (thread != null) {
                thread.interrupt();
            }
        } finally {
            threadLock.unlock();
        }
    }

    /** True for the one who may renew the lease, until {@link #endRenewing}. */
    boolean startRenewing() {
        if (renewing || leaseLost || isDecided()) {
            return false;
        }
        renewing = true;
        return true;
    }

    void renewed(long newReceipt, long newLeaseEndsNanos) {
        receipt = newReceipt;
        leaseEndsNanos = newLeaseEndsNanos;
    }

    void endRenewing() {
        renewing = false;
    }

    /** Notes that the lease is lost; true the first time. */
    boolean loseLease() {
        boolean first = !leaseLost;
        leaseLost = true;
        return first;
    }

    boolean isLeaseLost() {
        return leaseLost || leaseNanosLeft() <= 0;
    }

    long leaseNanosLeft() {
        return leaseEndsNanos - System.nanoTime();
    }
}
