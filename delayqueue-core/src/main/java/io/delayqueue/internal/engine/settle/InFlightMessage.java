package io.delayqueue.internal.engine.settle;

import io.delayqueue.ReceivedMessage;
import io.delayqueue.internal.store.Claimed;
import io.delayqueue.internal.store.Lease;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A leased message in this process: the state of its handling, and what is known of its lease. Thread-safe.
 *
 * <p>States: waiting → handling → decided, or waiting → decided. The first to decide (the handler's thread, its timeout, or the
 * end of the subscription) says how the message is settled; later decisions have no effect.
 */
public final class InFlightMessage {

    private enum State {
        WAITING,
        HANDLING,
        DECIDED
    }

    /** Of a receipt: the lease may have been extended by another process, and nothing here waits for its end. */
    private static final long UNKNOWN_LEASE_NANOS = TimeUnit.DAYS.toNanos(1);

    private final Claimed claimed;
    private final int partition;
    private final long dueNanos;
    private final boolean byReceipt;
    private final long claimedNanos = System.nanoTime();
    private final AtomicReference<State> state = new AtomicReference<>(State.WAITING);
    private final AtomicReference<@Nullable CompletableFuture<Boolean>> lastCall = new AtomicReference<>();
    private final ReentrantLock handlingLock = new ReentrantLock();
    private @Nullable Thread thread;
    private @Nullable Runnable cancelStage;
    private volatile boolean interrupted;
    private volatile boolean begun;
    private volatile boolean renewing;
    private volatile Lease lease;
    private volatile long leaseEndsNanos;
    private volatile boolean leaseLost;
    private @Nullable Consumer<CompletableFuture<Boolean>> whenSettling;

    /**
     * A message that was just claimed.
     *
     * @param partition number of the partition it came from
     * @param dueNanos upper bound of its due time, by {@link System#nanoTime()}
     * @param leaseEndsNanos lower bound of the end of its lease, by {@link System#nanoTime()}
     */
    public InFlightMessage(Claimed claimed, int partition, long dueNanos, long leaseEndsNanos) {
        this(claimed, partition, dueNanos, leaseEndsNanos, false);
    }

    private InFlightMessage(Claimed claimed, int partition, long dueNanos, long leaseEndsNanos, boolean byReceipt) {
        this.claimed = claimed;
        this.partition = partition;
        this.dueNanos = dueNanos;
        this.byReceipt = byReceipt;
        this.lease = claimed.lease();
        this.leaseEndsNanos = leaseEndsNanos;
    }

    /** A message that left its process, and comes back as its receipt. It is decided: the caller settles it. */
    static InFlightMessage byReceipt(Claimed claimed, int partition) {
        long now = System.nanoTime();
        InFlightMessage message = new InFlightMessage(claimed, partition, now, now + UNKNOWN_LEASE_NANOS, true);
        message.decide();
        return message;
    }

    /** Whether a call by a receipt is about it, perhaps in another process than the one that claimed it. */
    boolean isByReceipt() {
        return byReceipt;
    }

    /** The message itself. */
    public ReceivedMessage message() {
        return claimed.message();
    }

    /** The number of the partition it came from. */
    public int partition() {
        return partition;
    }

    /** Whether it may be what killed its last consumers. */
    public boolean isSuspect() {
        return claimed.suspect();
    }

    /** Its due time, in µs since the epoch, by the server's clock. */
    public long dueMicros() {
        return claimed.dueMicros();
    }

    /** Upper bound of its due time, by {@link System#nanoTime()}. */
    public long dueNanos() {
        return dueNanos;
    }

    /** Nanoseconds since it was due; negative if it is not due yet. */
    public long lateNanos() {
        return System.nanoTime() - dueNanos;
    }

    /** Time since it was claimed; null if another process may have done that. */
    @Nullable
    Duration held() {
        return byReceipt ? null : Duration.ofNanos(System.nanoTime() - claimedNanos);
    }

    /** The right to settle it, as last renewed. */
    Lease lease() {
        return lease;
    }

    /** Puts a call about this message behind the one before. Returns the one before; null at first. */
    @Nullable
    CompletableFuture<Boolean> enqueue(CompletableFuture<Boolean> call) {
        return lastCall.getAndSet(call);
    }

    /** Begins its handling on the current thread. Returns false if it was decided before. */
    public boolean begin() {
        // before it can be decided by another thread
        begun = true;
        if (!state.compareAndSet(State.WAITING, State.HANDLING)) {
            return false;
        }
        setThread(Thread.currentThread());
        return true;
    }

    /** Whether its handling has begun, or was about to when it was decided. */
    public boolean hasBegun() {
        return begun;
    }

    /** Ends its handling on the current thread. An interrupt that was meant for this message does not reach the next one. */
    public void end() {
        setThread(null);
        Thread.interrupted();
    }

    private void setThread(@Nullable Thread handling) {
        handlingLock.lock();
        try {
            thread = handling;
        } finally {
            handlingLock.unlock();
        }
    }

    /**
     * Its handling ended on its thread and goes on in a stage.
     *
     * @param cancel asks the stage to end; called at once if its thread was interrupted before
     */
    public void continueInStage(Runnable cancel) {
        boolean cancelNow;
        handlingLock.lock();
        try {
            cancelStage = cancel;
            cancelNow = interrupted;
        } finally {
            handlingLock.unlock();
        }
        if (cancelNow) {
            cancel.run();
        }
    }

    /** Decides it. Returns true for the first decision only. */
    public boolean decide() {
        return state.getAndSet(State.DECIDED) != State.DECIDED;
    }

    /** As {@link #decide}, if its handling has not begun. */
    public boolean decideUnlessBegun() {
        return state.compareAndSet(State.WAITING, State.DECIDED);
    }

    /** Whether it is settled, or about to be. */
    public boolean isDecided() {
        return state.get() == State.DECIDED;
    }

    /** Interrupts the thread that is handling it, or cancels the stage, if there is one. */
    public void interrupt() {
        Runnable cancel;
        handlingLock.lock();
        try {
            cancel = cancelStage;
            interrupted |= thread != null || cancel != null;
            if (thread != null) {
                thread.interrupt();
            }
        } finally {
            handlingLock.unlock();
        }
        if (cancel != null) {
            cancel.run();
        }
    }

    /** Whether {@link #interrupt} met its handling. */
    public boolean isInterrupted() {
        return interrupted;
    }

    /** Sets who is told of the answer to its settlement; before it is passed to other threads. */
    public void whenSettling(Consumer<CompletableFuture<Boolean>> listener) {
        whenSettling = listener;
    }

    /** It is being settled, with that answer. */
    public void settling(CompletableFuture<Boolean> answer) {
        if (whenSettling != null) {
            whenSettling.accept(answer);
        }
    }

    /**
     * Begins a renewal of the lease. Returns false if one is under way, the lease is lost, or the message is decided. Nor is a single
     * attempt renewed that has not begun: by the new deadline, Redis would take it for begun. Its lease is extended when it begins.
     */
    boolean beginRenewal() {
        boolean notBegun = state.get() == State.WAITING && message().maxAttempts() == 1;
        if (renewing || leaseLost || notBegun || isDecided()) {
            return false;
        }
        renewing = true;
        return true;
    }

    void renewed(long newReceipt, long newLeaseEndsNanos) {
        lease = new Lease(message().id(), newReceipt);
        leaseEndsNanos = newLeaseEndsNanos;
    }

    void endRenewal() {
        renewing = false;
    }

    /** Notes that the lease is lost. Returns true the first time. */
    boolean loseLease() {
        boolean first = !leaseLost;
        leaseLost = true;
        return first;
    }

    /** Whether another consumer may have the message by now. */
    public boolean isLeaseLost() {
        return leaseLost || leaseNanosLeft() <= 0;
    }

    /** Whether a call about it waits for Redis' answer, and its lease is not known to be lost. */
    boolean awaitsAnswer() {
        CompletableFuture<Boolean> call = lastCall.get();
        return !leaseLost && call != null && !call.isDone();
    }

    /** Lower bound of the end of its lease, by {@link System#nanoTime()}. */
    public long leaseEndsNanos() {
        return leaseEndsNanos;
    }

    /** Nanoseconds that the lease lasts at least; negative if it is over. */
    public long leaseNanosLeft() {
        return leaseEndsNanos - System.nanoTime();
    }
}
