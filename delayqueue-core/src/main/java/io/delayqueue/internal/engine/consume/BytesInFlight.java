package io.delayqueue.internal.engine.consume;

import io.delayqueue.internal.store.MessageStore;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Bounds the bytes of the messages that a client has in flight, over all its subscriptions. A claim reserves the bytes that it is
 * likely to bring, by the sizes seen so far, and may return no more. A subscription without a message may always claim one, so the
 * bound is exceeded by at most one message for each, and by a claim of each partition that was answered late: see {@link
 * ClaimReservation}. The others wait in turn. Thread-safe.
 */
final class BytesInFlight {

    /** A claim for fewer bytes is not worth its round trip. */
    private static final int MIN_CLAIM_BYTES = 16 * 1024;

    /** A body is expected to have this many bytes before any was seen. */
    private static final int INITIAL_MEAN_BYTES = 4 * 1024;

    /** Counted for each message beside its payload: id, headers and objects. */
    private static final int BYTES_BESIDE_PAYLOAD = 512;

    /** Messages may be this many times as large as the mean before a claim returns fewer than it could. */
    private static final int HEADROOM_FACTOR = 2;

    /** Weight of the latest message in the mean size: one part in this many. */
    private static final int MEAN_WEIGHT = 16;

    private final long max;
    private final ScheduledExecutorService timer;
    private final AtomicLong used = new AtomicLong();
    private final ReentrantLock lock = new ReentrantLock();
    private final Set<Share> waiting = new LinkedHashSet<>();
    /** Read without the lock: nearly always nobody waits. */
    private final AtomicInteger waitingCount = new AtomicInteger();

    /**
     * Of one client.
     *
     * @param max most bytes
     * @param timer wakes those that wait
     */
    BytesInFlight(long max, ScheduledExecutorService timer) {
        this.max = max;
        this.timer = timer;
    }

    /** Bytes in flight and reserved. */
    long used() {
        return used.get();
    }

    /**
     * The share of one subscription.
     *
     * @param freed called on the timer after {@link Share#reserve} refused, when it is worth another try; the turn is over when it
     *     returns
     */
    Share share(Runnable freed) {
        return new Share(freed);
    }

    private void wakeNext(@Nullable Share afterwards) {
        if (waitingCount.get() == 0) {
            return;
        }
        Share next = null;
        lock.lock();
        try {
            if (!waiting.isEmpty() && max - used.get() >= MIN_CLAIM_BYTES) {
                next = waiting.iterator().next();
            } else if (afterwards != null && afterwards.isIdle() && waiting.contains(afterwards)) {
                next = afterwards;
            }
            if (next != null) {
                remove(next);
                next.hasTurn = true;
            }
        } finally {
            lock.unlock();
        }
        if (next != null) {
            giveTurn(next);
        }
    }

    private void giveTurn(Share share) {
        try {
            // not on this thread: the next one claims, and wakes the one after it
            timer.execute(() -> {
                try {
                    share.freed.run();
                } finally {
                    if (share.endTurn()) {
                        wakeNext(null);
                    }
                }
            });
        } catch (RejectedExecutionException closed) {
            // nobody claims any more
        }
    }

    private void remove(Share share) {
        if (waiting.remove(share)) {
            waitingCount.decrementAndGet();
        }
    }

    /** The bytes of one subscription. */
    final class Share {

        private final Runnable freed;
        private final AtomicInteger messages = new AtomicInteger();
        private final AtomicInteger claims = new AtomicInteger();
        private final AtomicLong taken = new AtomicLong();
        private volatile long mean = INITIAL_MEAN_BYTES;
        /** Whether it was woken and has not reserved since. Guarded by the lock. */
        private boolean hasTurn;

        private Share(Runnable freed) {
            this.freed = freed;
        }

        /** Reserves bytes for a claim of at most that many messages. Returns 0 if it has to wait. */
        int reserve(int count) {
            long likely =
                    Math.max(MIN_CLAIM_BYTES, Math.min(HEADROOM_FACTOR * mean * count, MessageStore.LARGEST_BYTES));
            int reserved;
            lock.lock();
            try {
                waitingCount.addAndGet(waiting.add(this) ? 1 : 0);
                // looked at after joining those that wait: bytes that are freed meanwhile are not missed
                long free = max - used.get();
                reserved = free >= MIN_CLAIM_BYTES ? (int) Math.min(likely, free) : isIdle() ? 1 : 0;
                if (reserved > 0) {
                    remove(this);
                    hasTurn = false;
                    claims.incrementAndGet();
                    used.addAndGet(reserved);
                }
            } finally {
                lock.unlock();
            }
            if (reserved > 0) {
                wakeNext(null);
            }
            return reserved;
        }

        /** Returns whether nothing was reserved in its turn, such as by a subscription that is paused: others can have the bytes. */
        private boolean endTurn() {
            lock.lock();
            try {
                boolean unused = hasTurn;
                hasTurn = false;
                return unused;
            } finally {
                lock.unlock();
            }
        }

        /** Ends a reservation, after the messages of its claim were taken. */
        void release(int reserved) {
            claims.decrementAndGet();
            used.addAndGet(-reserved);
            wakeNext(this);
        }

        /** Takes a message of that many bytes. */
        void take(int payload) {
            messages.incrementAndGet();
            taken.addAndGet(payload + BYTES_BESIDE_PAYLOAD);
            used.addAndGet(payload + BYTES_BESIDE_PAYLOAD);
            mean += (payload + BYTES_BESIDE_PAYLOAD - mean) / MEAN_WEIGHT;
        }

        /** A message that was taken is no longer in flight. */
        void free(int payload) {
            messages.decrementAndGet();
            taken.addAndGet(-payload - BYTES_BESIDE_PAYLOAD);
            used.addAndGet(-payload - BYTES_BESIDE_PAYLOAD);
            wakeNext(this);
        }

        /** The bytes of its messages in flight. */
        long taken() {
            return taken.get();
        }

        private boolean isIdle() {
            return messages.get() == 0 && claims.get() == 0;
        }

        /** Waits no longer. */
        void stop() {
            lock.lock();
            try {
                remove(this);
            } finally {
                lock.unlock();
            }
            wakeNext(null);
        }
    }
}
