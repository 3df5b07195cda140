package io.delayqueue.testsupport.fleet;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/**
 * A fault and its time, µs of Redis' clock, which is this machine's.
 *
 * @param fault its name
 * @param worker the worker that it hit; null for all
 */
public record Strike(String fault, @Nullable String worker, long begun, long ended) {

    private static final String STALLED = "stalled";

    /** The stall that a worker reported: of itself alone, unless others report theirs. */
    static Strike stall(Entry reported) {
        return new Strike(STALLED, reported.worker(), reported.notBefore(), reported.notAfter());
    }

    /** This machine's clock. */
    public static long micros() {
        return ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
    }

    boolean hits(String other) {
        return worker == null || worker.equals(other);
    }

    /** Whether messages of this worker may come late: those that it hits, and those that carry the load of a worker in trouble. */
    boolean delays(String other) {
        return hits(other) || !fault.equals(STALLED);
    }
}
