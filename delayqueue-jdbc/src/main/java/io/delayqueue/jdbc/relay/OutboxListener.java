package io.delayqueue.jdbc.relay;

import io.delayqueue.PartitionMark;
import io.delayqueue.jdbc.outbox.MessageId;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/** Receives the outcomes of the outbox's changes. Safe for use by several threads. */
public interface OutboxListener {

    /** Ignores everything. */
    OutboxListener NONE = new OutboxListener() {};

    /**
     * Marks of answers that must not be recorded, as Redis may have lost these changes since. Called in the transaction that is to record
     * them, before it writes.
     *
     * @param marks of the partitions that answered
     * @return those whose changes are to be sent again
     */
    default Set<PartitionMark> doubtful(Set<PartitionMark> marks) {
        return Set.of();
    }

    /**
     * Changes were sent. Called in the transaction that removes them, so rows that the listener writes are kept if they are removed. The
     * transaction may be repeated.
     *
     * @param changes the changes with Redis' answers
     * @param marks of the partitions that they were sent to
     */
    default void sent(List<SentChange> changes, List<PartitionMark> marks) {}

    /** Redis refused a change, or its row can't be read; it will be sent again after a pause. Called after the transaction. */
    default void postponed(MessageId key, String error) {}

    /** A change failed so often that its id is not sent any more until it is unblocked. Called after the transaction. */
    default void blocked(MessageId key, String error) {}

    /** Changes were left to a relay, since the hand-over's queue was full or Redis did not answer. */
    default void leftToRelay(int changes) {}

    /** Redis answered a change that was sent right after its commit. Called by the hand-over's thread. */
    default void answered(Duration sinceCommit) {}
}
