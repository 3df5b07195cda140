package io.delayqueue.jdbc.restore;

import java.util.concurrent.atomic.AtomicLong;

/** The rate at which restores schedule messages again, all together. Safe for use by several threads. */
final class RestorePace {

    private final int rate;
    private final AtomicLong freeNanos = new AtomicLong(System.nanoTime());

    /** @param rate messages a second */
    RestorePace(int rate) {
        this.rate = rate;
    }

    /**
     * Takes the time for some messages. A wait saves up nothing that might be written in a burst after it.
     *
     * @param sinceNanos time at which they were begun with
     * @return time at which the next ones may be written
     */
    long take(int messages, long sinceNanos) {
        return freeNanos.updateAndGet(free -> Math.max(free, sinceNanos) + (long) (messages * 1e9 / rate));
    }
}
