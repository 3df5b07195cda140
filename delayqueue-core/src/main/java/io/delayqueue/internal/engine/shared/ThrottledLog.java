package io.delayqueue.internal.engine.shared;

import io.delayqueue.DelayQueueException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Warns of a condition at once, then at most once a minute with a count, and says when a failure is over. Throws nothing, even if the
 * logger does: the loops that report here must go on. Thread-safe.
 */
public final class ThrottledLog {

    private static final Logger log = LoggerFactory.getLogger("io.delayqueue");

    /** Often enough to be found in any excerpt of a log, seldom enough not to flood it. */
    private static final long REMINDER_NANOS = TimeUnit.MINUTES.toNanos(1);

    /** A failure that comes and goes within seconds is not reported each time. */
    private static final long NEXT_FAILURE_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final String subject;
    private final LongSupplier nanoTime;
    private final ReentrantLock lock = new ReentrantLock();
    private long lastLineNanos;
    private long count;
    private volatile boolean failing;
    private boolean reported;

    /** @param subject the start of each line, such as {@code Topic 'orders'} */
    public ThrottledLog(String subject) {
        this(subject, System::nanoTime);
    }

    ThrottledLog(String subject, LongSupplier nanoTime) {
        this.subject = subject;
        this.nanoTime = nanoTime;
        this.lastLineNanos = nanoTime.getAsLong() - REMINDER_NANOS;
    }

    /** Reports a failed call. */
    public void failed(Throwable error) {
        long failures;
        lock.lock();
        try {
            failing = true;
            count++;
            if (!isLineDue(reported ? REMINDER_NANOS : NEXT_FAILURE_NANOS)) {
                return;
            }
            reported = true;
            failures = count;
        } finally {
            lock.unlock();
        }
        print(() -> {
            if (error instanceof DelayQueueException) {
                log.warn("{}: {} ({} failed calls so far; still retrying)", subject, error.getMessage(), failures);
            } else {
                log.warn(
                        "{}: a call failed ({} failed calls so far; still retrying)",
                        subject,
                        failures,
                        Failures.loggable(error));
            }
        });
    }

    /** Reports that calls succeed again, if a failure was reported. */
    public void succeeded() {
        if (!failing) {
            return;
        }
        long failures;
        lock.lock();
        try {
            boolean report = failing && reported;
            failures = count;
            failing = false;
            reported = false;
            count = 0;
            if (!report) {
                return;
            }
        } finally {
            lock.unlock();
        }
        print(() -> log.info("{} works again after {} failed calls", subject, failures));
    }

    /** Reports occurrences of an oddity. */
    public void found(long occurrences, String text) {
        long total = countUntilLine(occurrences);
        if (total > 0) {
            print(() -> log.warn("{}: {} {}", subject, total, text));
        }
    }

    /** Reports a failure that is not Redis', and after which the work goes on. */
    public void failed(String text, Throwable error) {
        long total = countUntilLine(1);
        if (total > 0) {
            print(() -> log.error(
                    "{}: {} ({} times since the last report)", subject, text, total, Failures.loggable(error)));
        }
    }

    /** Reports a state that lasts. */
    public void warn(String text) {
        if (countUntilLine(1) > 0) {
            print(() -> log.warn("{}: {}", subject, text));
        }
    }

    /** The number of occurrences since the last line if one is due; else 0. */
    private long countUntilLine(long occurrences) {
        lock.lock();
        try {
            count += occurrences;
            if (!isLineDue(REMINDER_NANOS)) {
                return 0;
            }
            long total = count;
            count = 0;
            return total;
        } finally {
            lock.unlock();
        }
    }

    private static void print(Runnable line) {
        try {
            line.run();
        } catch (Throwable e) {
            // nobody is left to be told
        }
    }

    private boolean isLineDue(long intervalNanos) {
        long now = nanoTime.getAsLong();
        if (now - lastLineNanos < intervalNanos) {
            return false;
        }
        lastLineNanos = now;
        return true;
    }
}
