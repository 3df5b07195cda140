package io.delayqueue.gateway.sqs.limit;

import java.util.concurrent.atomic.AtomicLong;

/** Bytes that may be in hand at once. Safe for use by several threads. */
public final class ByteBudget {

    private final long max;
    private final AtomicLong used = new AtomicLong();

    /** A budget of this many bytes. */
    public ByteBudget(long max) {
        this.max = max;
    }

    /** Takes bytes, if there are as many left. */
    public boolean tryTake(long bytes) {
        return tryTake(bytes, max);
    }

    /** Takes bytes, if there are as many left and more than a quarter is left then: the small ones go on beside many large ones. */
    public boolean tryTakeOfLarge(long bytes) {
        return tryTake(bytes, max / 4 * 3);
    }

    private boolean tryTake(long bytes, long limit) {
        if (used.addAndGet(bytes) <= limit) {
            return true;
        }
        used.addAndGet(-bytes);
        return false;
    }

    /** Gives back bytes that were taken. */
    public void giveBack(long bytes) {
        used.addAndGet(-bytes);
    }

    /** Whether nothing is left. */
    public boolean isUsedUp() {
        return used.get() >= max;
    }

    /** Bytes taken. */
    public long used() {
        return used.get();
    }
}
