package io.delayqueue.benchmarks.worker;

import io.delayqueue.benchmarks.peer.Handler;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;

/** When which message came. Numbers outside the expected range are ignored. */
final class Arrivals implements Handler {

    private final int first;
    private final AtomicLongArray entered;
    private final AtomicLongArray told;
    private final AtomicInteger duplicates = new AtomicInteger();
    private final CountDownLatch missing;
    private final boolean holding;

    /** If holding, no handler ever returns. */
    Arrivals(int first, int count, boolean holding) {
        this.first = first;
        this.entered = new AtomicLongArray(count);
        this.told = new AtomicLongArray(count);
        this.missing = new CountDownLatch(count);
        this.holding = holding;
    }

    @Override
    public void handle(byte[] payload, long dueMicros) {
        long now = Clock.micros();
        int index = Numbered.number(payload) - first;
        if (index >= 0 && index < entered.length()) {
            if (entered.compareAndSet(index, 0, now)) {
                told.setPlain(index, dueMicros);
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

    /** When this one came, in µs since the epoch, or 0. */
    long entered(int index) {
        return entered.get(index);
    }

    /** When this one was due, in µs since the epoch, or 0 if that was not told. */
    long told(int index) {
        return told.get(index);
    }

    /** When the first came and when the last one, in µs since the epoch. */
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
