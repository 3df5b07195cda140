package io.delayqueue.internal.store;

import io.delayqueue.DelayQueueException;

/** The topic has another partition count than the caller assumed; nothing was done. */
public final class PartitionsChangedException extends DelayQueueException {

    private static final long serialVersionUID = 1L;

    private final int partitions;

    /**
     * A refused call.
     *
     * @param operation the call's name, such as {@code schedule}
     * @param partitions the partition count, as far as the refusing partition knows
     */
    public PartitionsChangedException(String operation, String topic, int partitions) {
        super(operation + ": topic '" + topic + "' now has " + partitions + " partitions", topic, null, null);
        this.partitions = partitions;
    }

    /** The partition count, as far as the refusing partition knows. */
    public int partitions() {
        return partitions;
    }
}
