package io.delayqueue.internal.engine.consume;

import io.delayqueue.internal.engine.settle.InFlightMessage;
import io.delayqueue.internal.engine.shared.ConsumerContext;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Says whether a claim may take a suspect of its partition. Keeps the client's permit until that one is settled, or has been in flight
 * for too long. Asks for the permit only after an answer said that a suspect is due. Thread-safe.
 */
final class SuspectClaims {

    /**
     * A suspect keeps the permit for this many leases at most. Nearly every handler has ended by then. One that hangs must not keep the
     * suspects of all topics waiting for ever. At its first renewal would be too soon: suspects with long handlers would be handled side
     * by side, and die with the one that kills.
     */
    static final int MAX_LEASES = 10;

    private final SuspectPermit.Applicant permit;
    private final ScheduledExecutorService timer;
    private final long maxNanos;
    private final long commandTimeoutNanos;
    private final ReentrantLock lock = new ReentrantLock();
    private @Nullable InFlightMessage inFlight;
    private @Nullable Future<?> alarm;
    private boolean due;
    private boolean stopped;

    /** @param claim claims once more, as this partition has the permit */
    SuspectClaims(ConsumerContext context, SuspectPermit permit, Runnable claim) {
        this.permit = permit.applicant(claim);
        this.timer = context.client().timer();
        this.maxNanos = context.options().lease().multipliedBy(MAX_LEASES).toNanos();
        this.commandTimeoutNanos = context.client().options().commandTimeout().toNanos();
    }

    /** Whether a claim that has a free slot may take a suspect. Takes the permit for it, until {@link #answered} or {@link #noClaim}. */
    boolean takePermitIfDue() {
        lock.lock();
        try {
            return due && inFlight == null && permit.tryAcquire();
        } finally {
            lock.unlock();
        }
    }

    /** There is no claim now: others may have the permit meanwhile. */
    void noClaim() {
        lock.lock();
        try {
            if (inFlight == null) {
                permit.release();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Takes those of a claim's messages that this process may handle. The others are refused. */
    List<InFlightMessage> take(List<InFlightMessage> messages, Consumer<InFlightMessage> refuse) {
        List<InFlightMessage> taken = new ArrayList<>(messages.size());
        for (InFlightMessage message : messages) {
            if (message.isSuspect() && !take(message)) {
                refuse.accept(message);
            } else {
                taken.add(message);
            }
        }
        return taken;
    }

    /**
     * Takes a claimed suspect. Returns false if another one is in flight: the answer to a repeated claim may come after the permit went to
     * another partition.
     */
    boolean take(InFlightMessage message) {
        lock.lock();
        try {
            boolean taken = !stopped && inFlight == null && permit.tryAcquire();
            if (taken) {
                inFlight = message;
                message.whenSettling(answer -> settles(message, answer));
                alarm = handOverAfter(message, maxNanos);
            }
            return taken;
        } finally {
            lock.unlock();
        }
    }

    private @Nullable Future<?> handOverAfter(InFlightMessage message, long nanos) {
        try {
            return timer.schedule(() -> handOverFrom(message), nanos, TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException closed) {
            return null;
        }
    }

    /** A claim was answered, and its messages taken. */
    void answered(boolean suspectIsDue) {
        lock.lock();
        try {
            due = suspectIsDue;
            if (inFlight == null) {
                handOver();
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * It counts as in flight until the answer, or until its lease is over: Redis may be silent for longer. Without a handler it
     * kills nobody; then it counts for a command timeout only, in which its mark may be on its way.
     */
    private void settles(InFlightMessage message, CompletableFuture<Boolean> answer) {
        long leaseNanos = Math.max(0, message.leaseNanosLeft());
        answer.copy()
                .orTimeout(
                        message.hasBegun() ? leaseNanos : Math.min(commandTimeoutNanos, leaseNanos),
                        TimeUnit.NANOSECONDS)
                .whenComplete((held, error) -> handOverFrom(message));
    }

    private void handOverFrom(InFlightMessage message) {
        lock.lock();
        try {
            if (inFlight == message) {
                inFlight = null;
                if (alarm != null) {
                    alarm.cancel(false);
                }
                handOver();
            }
        } finally {
            lock.unlock();
        }
    }

    private void handOver() {
        permit.release();
        if (due && !stopped) {
            permit.request();
        }
    }

    /** Takes no suspect any more; one in flight keeps the permit until it is settled. */
    void stop() {
        lock.lock();
        try {
            stopped = true;
            due = false;
            if (inFlight == null) {
                permit.release();
            }
        } finally {
            lock.unlock();
        }
    }
}
