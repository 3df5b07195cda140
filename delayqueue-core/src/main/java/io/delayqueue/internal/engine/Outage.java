package io.delayqueue.internal.engine;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Says once that something does not work, then reminds of it now and then, and says when it works again. What comes and
 * goes within seconds is not told each time.
 */
final class Outage {

    private static final Logger log = LoggerFactory.getLogger("io.delayqueue");
    private static final long REMINDER = TimeUnit.MINUTES.toNanos(1);
    private static final long NEXT_FIRST_LINE = TimeUnit.SECONDS.toNanos(5);

    private final String subject;
    private final LongSupplier nanoTime;
    private final AtomicLong failures = new AtomicLong();
    private final AtomicLong lastLine;
    private volatile boolean failing;
    private volatile boolean told;

    /** @param subject what does not work, at the start of a sentence */
    Outage(String subject) {
        this(subject, System::nanoTime);
    }

    Outage(String subject, LongSupplier nanoTime) {
        this.subject = subject;
        this.nanoTime = nanoTime;
        this.lastLine = new AtomicLong(nanoTime.getAsLong() - REMINDER);
    }

    void failed(Throwable error) {
        long count = failures.incrementAndGet();
        failing = true;
        long now = nanoTime.getAsLong();
        long last = lastLine.get();
        if (now - last >= (told ? REMINDER : NEXT_FIRST_LINE) && lastLine.compareAndSet(last, now)) {
            told = true;
            if (error instanceof RuntimeException && error.getClass().getName().startsWith("io.delayqueue.")) {
                log.warn("{}: {} ({} failed calls so far; trying on)", subject, error.getMessage(), count);
            } else {
                log.warn("{} ({} failed calls so far; trying on)", subject, count, error);
            }
        }
    }

    void succeeded() {
        if (failing) {
            failing = false;
            long count = failures.getAndSet(0);
            if (told) {
                told = false;
                log.info("{} works again after {} failed calls", subject, count);
            }
        }
    }
}
