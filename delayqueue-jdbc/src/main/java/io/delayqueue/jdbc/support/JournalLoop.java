package io.delayqueue.jdbc.support;

import io.delayqueue.DelayQueueException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A thread that does one kind of work again and again. No failure ends it, be it of Redis, of the database or of code: it pauses, longer
 * with each failure, and goes on.
 */
public final class JournalLoop implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger("io.delayqueue.jdbc");

    private static final long FIRST_PAUSE_MILLIS = 200;
    private static final long LONGEST_PAUSE_MILLIS = 5_000;

    /** Often enough to be found in any excerpt of a log, seldom enough not to flood it. */
    private static final long REMINDER_NANOS = TimeUnit.MINUTES.toNanos(1);

    /** Time for the pass that runs when the loop is closed, unless another is said; one that hangs is interrupted. */
    private static final Duration LONGEST_END = Duration.ofSeconds(5);

    private final String name;
    private final Pass pass;
    private final ReentrantLock lock = new ReentrantLock();
    private volatile CountDownLatch closed = new CountDownLatch(1);
    private volatile @Nullable Thread thread;
    private final AtomicInteger failures = new AtomicInteger();
    private long reportedNanos = System.nanoTime() - REMINDER_NANOS;
    private boolean reported;

    /** One pass of the work, which may wait for work, but not for ever. */
    @FunctionalInterface
    public interface Pass {
        void runOnce() throws InterruptedException;

        /** Whether the loop may end when it is closed; else it goes on for a while, unless passes fail. */
        default boolean isDone() {
            return true;
        }
    }

    /** A loop whose thread, not yet started, has this name. */
    public JournalLoop(String name, Pass pass) {
        this.name = name;
        this.pass = pass;
    }

    /** Starts the thread, again if the loop was closed. */
    public void start() {
        lock.lock();
        try {
            if (thread != null) {
                return;
            }
            closed = new CountDownLatch(1);
            failures.set(0);
            Thread started = new Thread(this::run, name);
            started.setDaemon(true);
            thread = started;
            started.start();
        } finally {
            lock.unlock();
        }
    }

    private void run() {
        while (mayGoOn()) {
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
        }
    }

    /** A thread that was given up may find that another one was started since. */
    private boolean mayGoOn() {
        return Thread.currentThread() == thread && (!isClosed() || !(pass.isDone() || isFailing()));
    }

    /** Waits before the next pass; false if the loop was closed meanwhile. */
    public boolean pause() {
        long millis = Math.min(FIRST_PAUSE_MILLIS << Math.min(failures.get() - 1, 10), LONGEST_PAUSE_MILLIS);
        return await(millis);
    }

    /** Waits until the loop is closed; false if it was. */
    public boolean await(long millis) {
        try {
            return !closed.await(millis, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            return false;
        }
    }

    private void succeeded() {
        int former = failures.getAndSet(0);
        if (former > 0 && reported) {
            reported = false;
            log.info("{} works again after {} failed attempts", name, former);
        }
    }

    /** A loop that fails with every other pass must not flood the log either. */
    private void failed(Throwable error) {
        int count = failures.incrementAndGet();
        long now = System.nanoTime();
        if (isClosed() || now - reportedNanos < REMINDER_NANOS) {
            return;
        }
        reportedNanos = now;
        reported = true;
        try {
            if (error instanceof DelayQueueException) {
                log.warn("{}: {} ({} failed attempts so far; still retrying)", name, error.getMessage(), count);
            } else {
                log.warn("{}: an attempt failed ({} failed attempts so far; still retrying)", name, count, error);
            }
        } catch (Throwable ofLogger) {
            // nobody is left to be told
        }
    }

    /** Whether the last pass failed. */
    public boolean isFailing() {
        return failures.get() > 0;
    }

    /** Whether it was closed, and not started again. */
    public boolean isClosed() {
        return closed.getCount() == 0;
    }

    /** Whether it was started and not closed. */
    public boolean isRunning() {
        return thread != null;
    }

    @Override
    public void close() {
        close(LONGEST_END);
    }

    /** Ends the thread: after its pass and what is not done, or by an interrupt if that takes longer. */
    public void close(Duration timeout) {
        lock.lock();
        try {
            closed.countDown();
            Thread ending = thread;
            if (ending != null) {
                try {
                    TimeUnit.MILLISECONDS.timedJoin(ending, timeout.toMillis());
                } finally {
                    thread = null;
                    ending.interrupt();
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            lock.unlock();
        }
    }
}
