package io.delayqueue.benchmarks.worker;

import java.time.Instant;

/** The machine's wall clock, shared with the servers. */
public final class WallClock {

    private WallClock() {}

    /** µs since the epoch. */
    public static long micros() {
        Instant now = Instant.now();
        return now.getEpochSecond() * 1_000_000 + now.getNano() / 1_000;
    }
}
