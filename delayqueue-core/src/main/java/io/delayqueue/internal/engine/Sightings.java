package io.delayqueue.internal.engine;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Says that something odd was met: at once, then at most once a minute with how many there were. One thread at a time. */
final class Sightings {

    private static final Logger log = LoggerFactory.getLogger("io.delayqueue");
    private static final long BETWEEN_LINES = TimeUnit.MINUTES.toNanos(1);

    private final String text;
    private final LongSupplier nanoTime;
    private long lastLine;
    private long untold;

    /** @param text what was met, to follow a number */
    Sightings(String text) {
        this(text, System::nanoTime);
    }

    Sightings(String text, LongSupplier nanoTime) {
        this.text = text;
        this.nanoTime = nanoTime;
        this.lastLine = nanoTime.getAsLong() - BETWEEN_LINES;
    }

    void seen(long count) {
        untold += count;
        long now = nanoTime.getAsLong();
        if (now - lastLine >= BETWEEN_LINES) {
            log.warn("{} {}", untold, text);
            lastLine = now;
            untold = 0;
        }
    }
}
