package io.delayqueue.internal.store;

import io.delayqueue.TopicStats;

/**
 * The numbers of one partition.
 *
 * @param stats its messages
 * @param partitions partition count of its topic, as far as the partition knows
 */
public record PartitionStats(TopicStats stats, int partitions) {}
