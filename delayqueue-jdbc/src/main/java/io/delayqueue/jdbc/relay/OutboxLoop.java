package io.delayqueue.jdbc.relay;

import io.delayqueue.DelayQueueException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A thread that does one kind of work again and again. No failure ends it, be it of Redis, of the database or of code: it pauses, longer
 * with each failure, and goes on.
 */
final class OutboxLoop implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger("io.delayqueue.jdbc");

    private static final long FIRST_PAUSE_MILLIS = 200;
    private static final long LONGEST_PAUSE_MILLIS = 5_000;

    /** Often enough to be found in any excerpt of a log, seldom enough not to flood it. */
    private static final long REMINDER_NANOS = TimeUnit.MINUTES.toNanos(1);

    /** Time for the pass that runs when the loop is closed; one that hangs is interrupted. */
    private static final Duration LONGEST_END = Duration.ofSeconds(5);

    private final String name;
    private final Pass pass;
    private final CountDownLatch closed = new CountDownLatch(1);
    private final Thread thread;
    private volatile int failures;
    private volatile long lastPassNanos = System.nanoTime();
    private long reportedNanos;

    /** One pass of the work, which may wait for work, but not for ever. */
    @FunctionalInterface
    interface Pass {
        void runOnce() throws InterruptedException;
    }

    OutboxLoop(String name, Pass pass) {
        this.name = name;
        this.pass = pass;
        this.thread = new Thread(this::run, name);
        thread.setDaemon(true);
    }

    void start() {
        thread.start();
    }

    private void run() {
        while (!isClosed()) {
            try {
                pass.runOnce();
                succeeded();
            } catch (InterruptedException e) {
                return;
            } catch (Throwable e) {
                failed(e);
                if (!pause()) {
                    return;
                }
            }
            lastPassNanos = System.nanoTime();
        }
    }

    /** Waits before the next pass; false if the loop was closed meanwhile. */
    boolean pause() {
        long millis = Math.min(FIRST_PAUSE_MILLIS << Math.min(failures - 1, 10), LONGEST_PAUSE_MILLIS);
        return await(millis);
    }

    /** Waits until the loop is closed; false if it was. */
    boolean await(long millis) {
        try {
            return !closed.await(millis, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            return false;
        }
    }

    private void succeeded() {
        if (failures > 0 && reportedNanos != 0) {
            log.info("{} works again after {} failed passes", name, failures);
            reportedNanos = 0;
        }
        failures = 0;
    }

    private void failed(Throwable error) {
        failures++;
        long now = System.nanoTime();
        if (isClosed() || (reportedNanos != 0 && now - reportedNanos < REMINDER_NANOS)) {
            return;
        }
        reportedNanos = now;
        try {
            if (error instanceof DelayQueueException) {
                log.warn("{}: {} ({} failed passes so far; still retrying)", name, error.getMessage(), failures);
            } else {
                log.warn("{} ({} failed passes so far; still retrying)", name, failures, error);
            }
        } catch (Throwable ofLogger) {
            // nobody is left to be told
        }
    }

    boolean isFailing() {
        return failures > 0;
    }

    boolean isClosed() {
        return closed.getCount() == 0;
    }

    /** Time since the last pass ended: long for a loop that hangs. */
    Duration sinceLastPass() {
        return Duration.ofNanos(System.nanoTime() - lastPassNanos);
    }

    @Override
    public void close() {
        closed.countDown();
        try {
            thread.join(LONGEST_END.toMillis());
            thread.interrupt();
        } catch (InterruptedException e) {
            thread.interrupt();
            Thread.currentThread().interrupt();
        }
    }
}
