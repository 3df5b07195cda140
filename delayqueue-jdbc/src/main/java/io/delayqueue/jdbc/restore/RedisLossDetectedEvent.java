package io.delayqueue.jdbc.restore;

/**
 * Redis lost data of a partition. Is published once by each process that notices it.
 *
 * @param topic the topic
 * @param partition number of the partition, from 0
 * @param loss how it shows
 */
public record RedisLossDetectedEvent(String topic, int partition, Loss loss) {}
