package io.delayqueue.benchmarks.worker;

import io.delayqueue.benchmarks.peer.Handler;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.stream.IntStream;

/** Records the time at which each message is handled. Numbers outside the expected range are ignored. */
final class Arrivals implements Handler {

    private final int first;
    private final AtomicLongArray entered;
    private final AtomicLongArray due;
    private final AtomicInteger duplicates = new AtomicInteger();
    private final CountDownLatch missing;
    private final Work work;

    /** Expects these numbers. */
    Arrivals(int first, int count, Work work) {
        this.first = first;
        this.entered = new AtomicLongArray(count);
        this.due = new AtomicLongArray(count);
        this.missing = new CountDownLatch(count);
        this.work = work;
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
        work.run();
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

    /** The least of the expected numbers. */
    int first() {
        return first;
    }

    /** Time at which each message was handled, in µs since the epoch; 0 if it wasn't. */
    long[] entered() {
        return copy(entered);
    }

    /** Due time of each message that the peer reported, in µs since the epoch; 0 if it reported none. */
    long[] due() {
        return copy(due);
    }

    private static long[] copy(AtomicLongArray times) {
        return IntStream.range(0, times.length()).mapToLong(times::get).toArray();
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
