package io.delayqueue.gateway.log;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/** Logs the first of many warnings alike, and then one a minute with the number of those in between. Thread-safe. */
public final class RareWarnings {

    private static final long INTERVAL = Duration.ofMinutes(1).toNanos();

    private final Logger log;
    private final LongSupplier nanoTime;
    private final AtomicLong nextAt;
    private final AtomicLong suppressed = new AtomicLong();

    /** @param nanoTime {@link System#nanoTime()} */
    public RareWarnings(Logger log, LongSupplier nanoTime) {
        this.log = log;
        this.nanoTime = nanoTime;
        this.nextAt = new AtomicLong(nanoTime.getAsLong());
    }

    /** Logs a text, or counts it. */
    public void warn(String text, @Nullable Throwable error) {
        long now = nanoTime.getAsLong();
        long next = nextAt.get();
        if (now - next < 0 || !nextAt.compareAndSet(next, now + INTERVAL)) {
            suppressed.incrementAndGet();
            return;
        }
        long before = suppressed.getAndSet(0);
        String more = before == 0 ? "" : " (and " + before + " more since the last such line)";
        log.warn("{}{}{}", text, error == null ? "" : ": " + error, more);
    }
}
