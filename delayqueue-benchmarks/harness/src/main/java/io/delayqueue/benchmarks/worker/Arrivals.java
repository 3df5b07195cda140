package io.delayqueue.benchmarks.worker;

import io.delayqueue.benchmarks.peer.Handler;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;

/** Records the time at which each message is handled. Numbers outside the expected range are ignored. */
final class Arrivals implements Handler {

    private final int first;
    private final AtomicLongArray entered;
    private final AtomicLongArray due;
    private final AtomicInteger duplicates = new AtomicInteger();
    private final CountDownLatch missing;
    private final boolean holding;

    /** Expects these numbers. If holding, no handler ever returns. */
    Arrivals(int first, int count, boolean holding) {
        this.first = first;
        this.entered = new AtomicLongArray(count);
        this.due = new AtomicLongArray(count);
        this.missing = new CountDownLatch(count);
        this.holding = holding;
    }

    @Override
    public void handle(byte[] payload, long dueMicros) {
        long now = WallClock.micros();
        int index = NumberedMessages.number(payload) - first;
        if (index >= 0 && index < entered.length()) {
            if (entered.compareAndSet(index, 0, now)) {
                due.setPlain(index, dueMicros);
                missing.countDown();
            } else {
                duplicates.incrementAndGet();
            }
        }
        if (holding) {
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    boolean await(long millis) throws InterruptedException {
        return missing.await(millis, TimeUnit.MILLISECONDS);
    }

    int count() {
        return entered.length() - (int) missing.getCount();
    }

    int duplicates() {
        return duplicates.get();
    }

    /** Time at which a message was handled, in µs since the epoch; 0 if it wasn't. */
    long entered(int index) {
        return entered.get(index);
    }

    /** Due time that the peer reported, in µs since the epoch; 0 if it reported none. */
    long due(int index) {
        return due.get(index);
    }

    /** Times of the first and the last handled message, in µs since the epoch. */
    long[] range() {
        long earliest = Long.MAX_VALUE;
        long latest = 0;
        for (int i = 0; i < entered.length(); i++) {
            long at = entered.get(i);
            if (at > 0) {
                earliest = Math.min(earliest, at);
                latest = Math.max(latest, at);
            }
        }
        return new long[] {latest == 0 ? 0 : earliest, latest};
    }
}
