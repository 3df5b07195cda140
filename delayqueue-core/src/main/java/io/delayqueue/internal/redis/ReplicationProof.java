package io.delayqueue.internal.redis;

import io.delayqueue.internal.store.Partition;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Answers to the questions behind a round of writes: how many replicas have them, and is this still the server that counts?
 *
 * @param required replicas that must have a write
 * @param replicas replicas that have all writes of the connection
 * @param connection number of the connection that WAIT went over
 * @param kept the partitions whose keys the server still had, with the number of the connection that showed it; null if the server
 *     can't lose keys
 */
record ReplicationProof(
        int required,
        long replicas,
        long connection,
        @Nullable Map<Partition, Long> kept) {

    /** Why a write is not proven by this although it was done; null if nothing but the number of replicas decides. */
    @Nullable
    String flaw(Partition partition, long writtenOver) {
        if (connection != writtenOver) {
            return "the connection to Redis broke";
        }
        return kept == null || Objects.equals(kept.get(partition), writtenOver)
                ? null
                : "its keys went to another server";
    }

    boolean hasEnoughReplicas() {
        return replicas >= required;
    }
}
