package io.delayqueue.internal.store;

import io.delayqueue.MessageState;
import io.delayqueue.OutboxAnswer;
import io.delayqueue.PartitionMark;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The outcomes of the changes of a batch.
 *
 * @param changes one answer for each, in their order
 * @param headWaitMicros µs until the partition's first message is due, if it is a new one; else negative
 * @param mark of the partition, after that
 */
public record OutboxBatchAnswer(List<Change> changes, long headWaitMicros, PartitionMark mark) {

    /**
     * The outcome of one change of an outbox's batch.
     *
     * @param result what the store did
     * @param repeated whether an earlier call did it
     * @param existing state of the message that kept this one out; null if there is none, and for a repeated one
     */
    public record Change(
            Result result, boolean repeated, @Nullable MessageState existing) {}

    /** An effect in the store. */
    public enum Result {
        SCHEDULED(OutboxAnswer.Outcome.SCHEDULED),
        REPLACED(OutboxAnswer.Outcome.REPLACED),
        KEPT(OutboxAnswer.Outcome.KEPT),
        REJECTED_DUPLICATE(OutboxAnswer.Outcome.REJECTED_DUPLICATE),
        CANCELLED(OutboxAnswer.Outcome.CANCELLED),
        RESCHEDULED(OutboxAnswer.Outcome.RESCHEDULED),
        IN_FLIGHT(OutboxAnswer.Outcome.IN_FLIGHT),
        NOT_FOUND(OutboxAnswer.Outcome.NOT_FOUND),
        LATE(OutboxAnswer.Outcome.LATE),
        /** Nothing: the topic is full. */
        TOPIC_FULL(OutboxAnswer.Outcome.FAILED),
        /** Nothing: only a former partition count puts the message here, and it is not. */
        ELSEWHERE(OutboxAnswer.Outcome.FAILED);

        private final OutboxAnswer.Outcome outcome;

        Result(OutboxAnswer.Outcome outcome) {
            this.outcome = outcome;
        }

        /** How the caller is told. */
        public OutboxAnswer.Outcome outcome() {
            return outcome;
        }
    }
}
