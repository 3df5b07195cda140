package io.delayqueue.internal.engine.consume;

import io.delayqueue.internal.store.ClaimAnswer;

/**
 * The next claim of a loop, if other consumers of the partition rely on it: they come up to a second later. A loop that can't make it
 * has to say so by a claim of nothing. One pass at a time.
 */
final class ExpectedClaim {

    private boolean expected;
    private long atNanos;

    /** A claim was answered: the answer says whether others rely on the next one. */
    void answered(ClaimAnswer answer) {
        expected = answer.isExpected();
        atNanos = System.nanoTime() + ServerClock.nanos(answer.expectedMicros());
    }

    /** Whether others rely on the next claim. */
    boolean isExpected() {
        return expected;
    }

    /** Time until it is expected; negative afterwards. */
    long nanosLeft() {
        return atNanos - System.nanoTime();
    }
}
