package io.delayqueue;

import org.jspecify.annotations.Nullable;

/**
 * Epoch and counters of a partition, by which a journal notices that Redis lost data. After a loss the partition has another epoch or
 * none, or a counter is smaller than it was. An epoch belongs to one server; when another one takes over, its counters of the former
 * epoch are kept before anything is sent to it.
 *
 * @param topic the topic
 * @param partition number of the partition, from 0
 * @param epoch text of the partition since an {@link Outbox} first sent to it; null before that, and if Redis came back without it
 * @param sent changes that were applied by way of an {@link Outbox}; only grows
 * @param ended messages that were acked, cancelled or purged; only grows
 * @param former mark at the end of the epoch before; null if that is unknown or was not asked for
 */
public record PartitionMark(
        String topic,
        int partition,
        @Nullable String epoch,
        long sent,
        long ended,
        @Nullable PartitionMark former) {

    /** A mark without a former one. */
    public PartitionMark(String topic, int partition, @Nullable String epoch, long sent, long ended) {
        this(topic, partition, epoch, sent, ended, null);
    }
}
