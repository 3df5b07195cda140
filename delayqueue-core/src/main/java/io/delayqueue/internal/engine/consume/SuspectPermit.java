package io.delayqueue.internal.engine.consume;

import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Lets one suspect at a time into a client, over all its topics and partitions. A suspect is a message that may have killed its consumers:
 * if the process died with two of them in flight, nobody would know which one killed it. Claim loops get the permit in the order
 * in which they asked for it. Thread-safe.
 */
final class SuspectPermit {

    private final ScheduledExecutorService timer;
    private final ReentrantLock lock = new ReentrantLock();
    private final Set<Applicant> waiting = new LinkedHashSet<>();
    private @Nullable Applicant holder;

    /**
     * Of one client.
     *
     * @param timer tells the next one that it has the permit
     */
    SuspectPermit(ScheduledExecutorService timer) {
        this.timer = timer;
    }

    /**
     * The part of one claim loop.
     *
     * @param granted called on the timer when it has the permit that it asked for
     */
    Applicant applicant(Runnable granted) {
        return new Applicant(granted);
    }

    /** A claim loop that wants the permit now and then. */
    final class Applicant {

        private final Runnable granted;

        private Applicant(Runnable granted) {
            this.granted = granted;
        }

        /** Takes the permit if it is free. Returns whether this one has it. */
        boolean tryAcquire() {
            lock.lock();
            try {
                if (holder == null) {
                    holder = this;
                }
                return holder == this;
            } finally {
                lock.unlock();
            }
        }

        /** Waits for the permit, unless this one has it. */
        void request() {
            boolean free;
            lock.lock();
            try {
                free = holder == null;
                if (free) {
                    holder = this;
                } else if (holder != this) {
                    waiting.add(this);
                }
            } finally {
                lock.unlock();
            }
            if (free) {
                notifyGranted();
            }
        }

        /** Gives the permit to the one that has waited longest, or no longer waits for it. */
        void release() {
            Applicant next = null;
            lock.lock();
            try {
                waiting.remove(this);
                if (holder == this) {
                    next = waiting.isEmpty() ? null : waiting.iterator().next();
                    waiting.remove(next);
                    holder = next;
                }
            } finally {
                lock.unlock();
            }
            if (next != null) {
                next.notifyGranted();
            }
        }

        private void notifyGranted() {
            try {
                // not on this thread: the next one may give it back at once, and so on through all that wait
                timer.execute(granted);
            } catch (RejectedExecutionException closed) {
                // nobody claims any more
            }
        }
    }
}
