package io.delayqueue.jdbc.relay;

import io.delayqueue.DelayQueueException;
import io.delayqueue.OutboxAnswer;
import io.delayqueue.OutboxAnswer.Outcome;
import io.delayqueue.OutboxOperation;
import io.delayqueue.PartitionMark;
import io.delayqueue.TopicFullException;
import io.delayqueue.jdbc.outbox.Change;
import io.delayqueue.jdbc.outbox.MessageId;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A row of the outbox on its way to Redis: its changes are sent one after the other. Belongs to one thread at a time. */
final class RowInTransit {

    /** Answer for a change that needs no sending: the message's end is known already. */
    private static final OutboxAnswer KNOWN = OutboxAnswer.of(Outcome.SCHEDULED, true);

    private final UnsentRow row;
    private final List<Change> changes;
    private final boolean[] sentBefore;
    private List<@Nullable OutboxOperation> operations;
    private final List<OutboxAnswer> answers = new ArrayList<>(1);
    private List<PartitionMark> marks = List.of();
    private @Nullable String error;
    private boolean mayBeBlocked = true;
    private boolean late;
    private @Nullable DelayQueueException failureOfRedis;

    private RowInTransit(
            UnsentRow row, List<Change> changes, List<@Nullable OutboxOperation> operations, @Nullable String error) {
        this.row = row;
        this.changes = changes;
        this.operations = operations;
        this.sentBefore = new boolean[operations.size()];
        for (int i = 0; i < sentBefore.length; i++) {
            sentBefore[i] = operations.get(i) == null;
        }
        this.error = error;
    }

    /** It has been sent and waits for others, with thousands of rows: payloads, which may be large, are not needed any more. */
    void dropPayloads() {
        operations = List.of();
    }

    /** A row with an operation for each change, or null for one that need not be sent. */
    static RowInTransit of(UnsentRow row, List<Change> changes, List<@Nullable OutboxOperation> operations) {
        return new RowInTransit(row, changes, operations, null);
    }

    /**
     * A row with a change that can't be sent.
     *
     * @param operations operations for those before it
     */
    static RowInTransit unreadable(
            UnsentRow row, List<Change> changes, List<@Nullable OutboxOperation> operations, String error) {
        return new RowInTransit(row, changes.subList(0, operations.size()), operations, error);
    }

    /** Bytes of the payloads that are to be sent. */
    long payloadBytes() {
        long bytes = 0;
        for (OutboxOperation operation : operations) {
            if (operation instanceof OutboxOperation.Schedule schedule) {
                bytes += schedule.message().payload().length;
            }
        }
        return bytes;
    }

    /** The operations to send, in their order. */
    List<OutboxOperation> operations() {
        return operations.stream().filter(Objects::nonNull).toList();
    }

    /**
     * The answers to the operations. The first that was not applied ends them.
     *
     * @param marksOfCall marks of the partitions that the call went to: those of the row's topic stay with the row, for when it is recorded
     */
    void answered(List<OutboxAnswer> received, List<PartitionMark> marksOfCall) {
        marks = marksOfCall.stream()
                .filter(mark -> mark.topic().equals(key().topic()))
                .toList();
        Iterator<OutboxAnswer> next = received.iterator();
        for (OutboxOperation operation : operations) {
            OutboxAnswer answer = operation == null ? KNOWN : next.next();
            if (!answer.isApplied()) {
                if (answer.failure() != null) {
                    failed(answer.failure());
                } else {
                    late = true;
                }
                return;
            }
            answers.add(answer);
        }
    }

    private void failed(DelayQueueException failure) {
        if (RedisFailures.concernAll(failure)) {
            failureOfRedis = failure;
        } else {
            mayBeBlocked = !(failure instanceof TopicFullException);
            error = failure.toString();
        }
    }

    /** The failure of Redis for which the row was not sent; null if it is not for one. */
    @Nullable
    DelayQueueException failureOfRedis() {
        return failureOfRedis;
    }

    /** Marks of the partitions of the row's topic that answered with it. */
    List<PartitionMark> marks() {
        return marks;
    }

    UnsentRow row() {
        return row;
    }

    MessageId key() {
        return row.key();
    }

    /** Why the change after the sent ones failed; null if it did not. */
    @Nullable
    String error() {
        return error;
    }

    /** Whether the row is given up after enough failures. */
    boolean mayBeBlocked() {
        return mayBeBlocked;
    }

    /** Whether Redis took the rest of the row for too old: it was not refused, and can be sent when it was read again. */
    boolean isLate() {
        return late;
    }

    /** Whether all changes of the row were sent. */
    boolean isSent() {
        return error == null && answers.size() == row.changes();
    }

    /** The changes that Redis has answered, in order. */
    List<SentChange> sent() {
        List<SentChange> sent = new ArrayList<>(answers.size());
        for (int i = 0; i < answers.size(); i++) {
            sent.add(new SentChange(key(), changes.get(i), answers.get(i)));
        }
        return sent;
    }

    /** Whether a change was not sent this time, as the end of its message was recorded already: an earlier call had sent it. */
    boolean wasSentBefore(int index) {
        return sentBefore[index];
    }

    /** Generations that changes after this one schedule. */
    List<String> generationsBehind(int index) {
        return changes.stream()
                .skip(index + 1L)
                .filter(Change.Schedule.class::isInstance)
                .map(Change::token)
                .toList();
    }

    /** The sent changes as the row's text begins with them. */
    String sentText() {
        StringBuilder text = new StringBuilder();
        changes.subList(0, answers.size()).forEach(change -> text.append(change.encode()));
        return text.toString();
    }
}
