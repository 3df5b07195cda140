package io.delayqueue.internal.engine.consume;

import io.delayqueue.internal.engine.settle.Backlog;
import io.delayqueue.internal.engine.settle.InFlightMessage;
import java.util.List;

/** The subscription or pull consumer that a {@link ClaimLoop} claims messages for. */
interface ClaimTarget {

    /** The capacity that the claims of all partitions share. */
    ClaimCapacity capacity();

    /** Where its messages are settled: handled ones may have to wait there. */
    Backlog settlements();

    /**
     * Renews leases of the partition that are about to end. Returns whether such a renewal, or a settlement, waits for its answer: a claim
     * would take those messages back from this consumer.
     */
    boolean renewUrgentLeases(int partition);

    /** Takes the messages of a claim. */
    void accept(List<InFlightMessage> messages);

    /** Gives back a message of a claim. */
    void refuse(InFlightMessage message);

    /** The partition told how many partitions the topic has. */
    void partitionCountIs(int count);
}
