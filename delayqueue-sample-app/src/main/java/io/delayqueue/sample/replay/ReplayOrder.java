package io.delayqueue.sample.replay;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * An order to replay.
 *
 * @param paidAt null if it is never paid
 */
record ReplayOrder(String id, Instant placedAt, @Nullable Instant paidAt) {

    boolean isPaidWithin(Duration timeout) {
        return paidAt != null && paidAt.isBefore(placedAt.plus(timeout));
    }
}
