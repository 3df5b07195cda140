package io.delayqueue;

import java.util.List;

/**
 * The outcomes of the changes that an {@link Outbox} sent.
 *
 * @param answers one for each change, in their order
 * @param marks of the partitions that answered, after that; two of a partition that lost its epoch between two answers
 */
public record OutboxReply(List<OutboxAnswer> answers, List<PartitionMark> marks) {

    public OutboxReply {
        answers = List.copyOf(answers);
        marks = List.copyOf(marks);
    }
}
