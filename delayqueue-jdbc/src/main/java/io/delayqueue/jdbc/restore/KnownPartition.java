package io.delayqueue.jdbc.restore;

import org.jspecify.annotations.Nullable;

/**
 * What the journal knows of a partition.
 *
 * @param agreed the epoch that it was compared with last; null before the first
 * @param sent most changes that an instance sent in that epoch
 * @param acked most acks that an instance saw in that epoch
 * @param refill whether unfinished messages are still to be scheduled again
 */
record KnownPartition(@Nullable String agreed, long sent, long acked, boolean refill) {

    static final KnownPartition UNKNOWN = new KnownPartition(null, 0, 0, false);
}
