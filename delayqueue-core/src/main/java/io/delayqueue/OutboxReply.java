package io.delayqueue;

import java.util.List;

/**
 * The outcomes of the changes that an {@link Outbox} sent.
 *
 * @param answers one for each change, in their order
 * @param marks marks of the partitions that answered, after the changes; two of a partition whose epoch changed between two answers
 */
public record OutboxReply(List<OutboxAnswer> answers, List<PartitionMark> marks) {

    public OutboxReply {
        answers = List.copyOf(answers);
        marks = List.copyOf(marks);
    }
}
