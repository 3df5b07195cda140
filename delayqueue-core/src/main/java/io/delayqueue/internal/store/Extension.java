package io.delayqueue.internal.store;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The renewal of a lease.
 *
 * @param lease the lease
 * @param duration its new length from now
 * @param mode what it changes
 * @param held time since its message was claimed; null if unknown
 */
public record Extension(
        Lease lease, Duration duration, Mode mode, @Nullable Duration held) {

    /** Of a message of which it is unknown when it was claimed. */
    public Extension(Lease lease, Duration duration, Mode mode) {
        this(lease, duration, mode, null);
    }

    /** A renewal by a consumer that learns the new receipt. */
    public Extension(Lease lease, Duration duration, boolean alone) {
        this(lease, duration, alone ? Mode.RENEW_ALONE : Mode.RENEW);
    }

    /** Whether the answer is a deadline alone, and no new receipt. */
    public boolean keepsReceipt() {
        return mode == Mode.KEEP_RECEIPT || mode == Mode.CHANGE;
    }

    /** The change that an extension makes to a lease. */
    public enum Mode {
        /** It ends later, and has a new receipt. */
        RENEW,
        /** As {@link #RENEW}, of a suspect whose handler begins alone: if the process dies, it is to blame. */
        RENEW_ALONE,
        /** It ends later, and its receipt stays good. */
        KEEP_RECEIPT,
        /** It ends later or earlier, and its receipt stays good. */
        CHANGE
    }
}
