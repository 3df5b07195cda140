package io.delayqueue.internal.store;

import java.util.List;

/**
 * One step of a scan through all messages of a partition.
 *
 * @param cursor where the next step continues
 * @param deadLettered unscheduled messages found in this step, dead-lettered by it
 */
public record OrphanScanStep(String cursor, List<ClaimAnswer.DeadLettered> deadLettered) {

    /** Cursor of the first step, and the one that the last step returns. */
    public static final String BEGIN = "0";

    /** Whether the scan is complete. */
    public boolean isLast() {
        return cursor.equals(BEGIN);
    }
}
