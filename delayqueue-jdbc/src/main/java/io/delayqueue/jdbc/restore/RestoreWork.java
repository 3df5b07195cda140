package io.delayqueue.jdbc.restore;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/** Pace, lease and progress of one restore. Belongs to one thread; others may read the progress. */
final class RestoreWork {

    /** Keeps the lease, or throws if it was lost. */
    @FunctionalInterface
    interface Keeper {
        void keep(RestoreProgress progress);
    }

    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    /** A stop of the application waits for it. */
    private static final long LONGEST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private static final long COUNTED_EACH_NANOS = TimeUnit.SECONDS.toNanos(1);

    final RestoreTally tally;
    private volatile String topic;
    private final RestorePace pace;
    private final Keeper keeper;
    private final long beganNanos = System.nanoTime();
    private final long scannedBefore;
    private long countedNanos = beganNanos - COUNTED_EACH_NANOS;
    private long pageBeganNanos = beganNanos;
    private volatile RestoreProgress progress;

    RestoreWork(String topic, RestorePace pace, RestoreTally tally, Keeper keeper) {
        this.topic = topic;
        this.pace = pace;
        this.tally = tally;
        this.keeper = keeper;
        this.scannedBefore = tally.scanned.get();
        this.progress = new RestoreProgress(topic, 0, 0, 0, 0, Duration.ZERO);
    }

    /** Goes on with another topic. */
    void topic(String next) {
        topic = next;
    }

    RestoreProgress progress() {
        return progress;
    }

    /**
     * Is called after each page.
     *
     * @param changed messages that the page wrote to the outbox: the rate holds for them
     * @param remaining counts what is left, asked for once a second
     * @throws RestoreEndedException if this run has to end
     */
    void step(int changed, LongSupplier remaining) {
        long now = System.nanoTime();
        if (now - countedNanos >= COUNTED_EACH_NANOS) {
            countedNanos = now;
            report(remaining.getAsLong());
        }
        keeper.keep(progress);
        if (changed > 0) {
            await(Duration.ofNanos(pace.take(changed, pageBeganNanos) - System.nanoTime()));
        }
        pageBeganNanos = System.nanoTime();
    }

    /** Waits, and keeps the lease meanwhile. */
    void await(Duration duration) {
        long untilNanos = System.nanoTime() + duration.toNanos();
        while (untilNanos - System.nanoTime() > 0) {
            pause(Math.min(untilNanos - System.nanoTime(), LONGEST_PAUSE_NANOS));
            keepWaiting();
        }
        pageBeganNanos = System.nanoTime();
    }

    /** Waits until something is so, for a time at most, and keeps the lease meanwhile. */
    void await(BooleanSupplier condition, Duration atMost) {
        long untilNanos = System.nanoTime() + atMost.toNanos();
        while (!condition.getAsBoolean() && untilNanos - System.nanoTime() > 0) {
            pause(LOOK_NANOS);
            keepWaiting();
        }
    }

    /** Shows that it is alive, without counting what is left. */
    private void keepWaiting() {
        report(progress.remaining());
        keeper.keep(progress);
    }

    private void report(long remaining) {
        Duration running = Duration.ofNanos(System.nanoTime() - beganNanos);
        long perSecond = (tally.scanned.get() - scannedBefore) * 1_000 / Math.max(1, running.toMillis());
        progress = new RestoreProgress(topic, tally.scanned.get(), tally.restored(), perSecond, remaining, running);
    }

    private static void pause(long nanos) {
        LockSupport.parkNanos(nanos);
        if (Thread.currentThread().isInterrupted()) {
            throw new RestoreEndedException("the restore was interrupted; it may be started again");
        }
    }
}
