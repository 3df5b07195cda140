package io.delayqueue.jdbc.actuate;

/**
 * Data of a partition that Redis lost.
 *
 * @param topic the topic
 * @param partition number of the partition, from 0
 * @param loss how it shows: {@code EMPTY}, {@code OTHER_EPOCH} or {@code SET_BACK}
 */
public record LossDescriptor(String topic, int partition, String loss) {}
