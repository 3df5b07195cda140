package io.delayqueue.internal.redis;

import io.delayqueue.MessageState;
import io.delayqueue.PartitionMark;
import io.delayqueue.internal.store.OutboxBatchAnswer;
import io.delayqueue.internal.store.OutboxBatchAnswer.Change;
import io.delayqueue.internal.store.OutboxBatchAnswer.Result;
import io.delayqueue.internal.store.Partition;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;

/** Reads the replies of the script {@code outbox}, and marks of partitions. */
final class OutboxReplies {

    private OutboxReplies() {}

    static OutboxBatchAnswer batch(List<Object> reply, Partition partition, int count) {
        byte[] letters = (byte[]) reply.get(0);
        PartitionMark mark = markOf(partition, reply.subList(3, 6));
        List<Change> changes = letters.length == 0
                ? Collections.nCopies(count, new Change(Result.LATE, false, null))
                : changes(Replies.letters(letters, count), Replies.states((byte[]) reply.get(2)));
        return new OutboxBatchAnswer(changes, Replies.number(reply.get(1)), mark);
    }

    private static List<Change> changes(byte[] letters, List<MessageState> states) {
        Iterator<MessageState> existing = states.iterator();
        List<Change> changes = new ArrayList<>(letters.length);
        for (byte letter : letters) {
            boolean repeated = Character.isLowerCase(letter);
            Result result = result(letter);
            boolean keptOut = result == Result.KEPT || result == Result.REJECTED_DUPLICATE;
            changes.add(new Change(result, repeated, keptOut && !repeated ? existing.next() : null));
        }
        return changes;
    }

    private static Result result(byte letter) {
        return switch (Character.toUpperCase((char) letter)) {
            case 'S' -> Result.SCHEDULED;
            case 'R' -> Result.REPLACED;
            case 'K' -> Result.KEPT;
            case 'D' -> Result.REJECTED_DUPLICATE;
            case 'C' -> Result.CANCELLED;
            case 'M' -> Result.RESCHEDULED;
            case 'I' -> Result.IN_FLIGHT;
            case 'N' -> Result.NOT_FOUND;
            case 'F' -> Result.TOPIC_FULL;
            case '-' -> Result.ELSEWHERE;
            default -> throw Replies.unknown(letter);
        };
    }

    /** The mark in a script's answer: epoch, sent, ended. */
    static PartitionMark markOf(Partition partition, List<Object> reply) {
        String epoch = Replies.text(reply.get(0));
        return new PartitionMark(
                partition.topic(),
                partition.number(),
                epoch.isEmpty() ? null : epoch,
                Replies.number(reply.get(1)),
                Replies.number(reply.get(2)));
    }

    /** The same with the former epoch: its text and counters, apart by blanks. */
    static PartitionMark markWithFormer(Partition partition, List<Object> reply) {
        PartitionMark mark = markOf(partition, reply);
        String[] former = Replies.text(reply.get(3)).split(" ", -1);
        return former.length < 3
                ? mark
                : new PartitionMark(
                        mark.topic(),
                        mark.partition(),
                        mark.epoch(),
                        mark.sent(),
                        mark.ended(),
                        new PartitionMark(
                                mark.topic(),
                                mark.partition(),
                                former[0],
                                Long.parseLong(former[1]),
                                Long.parseLong(former[2])));
    }
}
