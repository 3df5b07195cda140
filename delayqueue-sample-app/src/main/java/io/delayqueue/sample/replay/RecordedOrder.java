package io.delayqueue.sample.replay;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * An order as a file tells of it.
 *
 * @param paidAt null if it never was
 */
record RecordedOrder(String id, Instant placedAt, @Nullable Instant paidAt) {

    boolean isPaidWithin(Duration timeout) {
        return paidAt != null && paidAt.isBefore(placedAt.plus(timeout));
    }
}
