package io.delayqueue.internal.store;

import io.delayqueue.TopicStats;

/**
 * The numbers of one partition.
 *
 * @param stats its messages
 * @param partitions how many partitions it knows its topic to have
 */
public record PartitionStats(TopicStats stats, int partitions) {}
