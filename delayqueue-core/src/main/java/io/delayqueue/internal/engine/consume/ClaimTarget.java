package io.delayqueue.internal.engine.consume;

import io.delayqueue.internal.engine.dispatch.Capacity;
import io.delayqueue.internal.engine.settle.InFlightMessage;
import java.util.List;

/** The subscription or pull consumer that a {@link ClaimLoop} claims messages for. */
interface ClaimTarget {

    /** The number of messages that can still be claimed. */
    Capacity capacity();

    /** Messages that each partition can have if all have as many; at least one. */
    int fairShare();

    /** Keeps the capacity there is, for at most that many messages. */
    ClaimLimits reserve(int max);

    /** Ends a reservation, after the messages of its claim were accepted. */
    void release(ClaimLimits limits);

    /** Whether too many messages of the partition wait to be settled. */
    boolean hasBacklog(int partition);

    /** Warns if Redis refuses to settle that backlog; throttled. */
    void warnOfStuckBacklog(int partition);

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
