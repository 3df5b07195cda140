package io.delayqueue.internal.engine.consume;

import io.delayqueue.internal.engine.settle.InFlightMessage;
import io.delayqueue.internal.engine.shared.SuspectPermit;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The suspects of one partition: says whether a claim may take one, and keeps the client's permit until that one is settled. Asks
 * for the permit only after an answer said that a suspect is due. Thread-safe.
 */
final class SuspectClaims {

    private final SuspectPermit.Turn turn;
    private final ReentrantLock lock = new ReentrantLock();
    private @Nullable InFlightMessage inHand;
    private boolean due;
    private boolean stopped;

    /** @param claim claims once more, as this partition has the permit */
    SuspectClaims(SuspectPermit permit, Runnable claim) {
        this.turn = permit.turn(claim);
    }

    /** Whether a claim that has a free slot may take a suspect. */
    boolean mayTake() {
        lock.lock();
        try {
            return due && inHand == null && turn.tryTake();
        } finally {
            lock.unlock();
        }
    }

    /** There is no claim now: others may have the permit meanwhile. */
    void noClaim() {
        lock.lock();
        try {
            if (inHand == null) {
                turn.giveBack();
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Takes a claimed suspect. Returns false if another one is in hand: the answer to a repeated claim may come after the permit went to
     * another partition.
     */
    boolean take(InFlightMessage message) {
        lock.lock();
        try {
            boolean taken = !stopped && inHand == null && turn.tryTake();
            if (taken) {
                inHand = message;
                message.whenSettling(answer -> settles(message, answer));
            }
            return taken;
        } finally {
            lock.unlock();
        }
    }

    /** A claim was answered, and its messages taken. */
    void answered(boolean suspectIsDue) {
        lock.lock();
        try {
            due = suspectIsDue;
            if (inHand == null) {
                handOver();
            }
        } finally {
            lock.unlock();
        }
    }

    /** It is out of hand with the answer, or when its lease is over: Redis may be silent for longer. */
    private void settles(InFlightMessage message, CompletableFuture<Boolean> answer) {
        answer.copy()
                .orTimeout(Math.max(0, message.leaseNanosLeft()), TimeUnit.NANOSECONDS)
                .whenComplete((held, error) -> settled(message));
    }

    private void settled(InFlightMessage message) {
        lock.lock();
        try {
            if (inHand == message) {
                inHand = null;
                handOver();
            }
        } finally {
            lock.unlock();
        }
    }

    private void handOver() {
        turn.giveBack();
        if (due && !stopped) {
            turn.ask();
        }
    }

    /** Takes no suspect any more; one in hand keeps the permit until it is settled. */
    void stop() {
        lock.lock();
        try {
            stopped = true;
            due = false;
            if (inHand == null) {
                turn.giveBack();
            }
        } finally {
            lock.unlock();
        }
    }
}
