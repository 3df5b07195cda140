package io.delayqueue.internal.engine.consume;

import java.util.concurrent.TimeUnit;

/** Whether a partition answers its claims. Written by one thread at a time, read by any. */
final class ClaimHealth {

    /**
     * Failures shorter than the guard interval, or this, are none to report. A lost connection is replaced by then, and no instance
     * is to be taken out of service for a lost packet.
     */
    static final long MAX_FAILING_NANOS = TimeUnit.SECONDS.toNanos(2);

    private final long maxFailingNanos;
    private volatile boolean failing;
    private volatile long failingSinceNanos;

    ClaimHealth(long guardNanos) {
        this.maxFailingNanos = Math.min(guardNanos, MAX_FAILING_NANOS);
    }

    /** A claim failed, or has to wait for settlements that Redis does not answer. */
    void failed() {
        if (!failing) {
            failingSinceNanos = System.nanoTime();
            failing = true;
        }
    }

    /** A claim was answered. */
    void succeeded() {
        failing = false;
    }

    /** Whether no claim has been answered since the last failure. */
    boolean isFailing() {
        return failing;
    }

    /** Whether it is not failing, or not for long. */
    boolean isHealthy() {
        return !failing || System.nanoTime() - failingSinceNanos <= maxFailingNanos;
    }
}
