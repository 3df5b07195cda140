package io.delayqueue.internal.store;

import io.delayqueue.DelayQueueException;

/** The caller believes the topic to have another number of partitions than it has; nothing was done. */
public final class PartitionsChangedException extends DelayQueueException {

    private static final long serialVersionUID = 1L;

    private final int partitions;

    /** @param partitions how many there are, as far as the partition that was asked knows */
    public PartitionsChangedException(String doing, String topic, int partitions) {
        super(doing + ": topic '" + topic + "' has " + partitions + " partitions by now", topic, null, null);
        this.partitions = partitions;
    }

    /** How many there are, as far as the partition that was asked knows. */
    public int partitions() {
        return partitions;
    }
}
