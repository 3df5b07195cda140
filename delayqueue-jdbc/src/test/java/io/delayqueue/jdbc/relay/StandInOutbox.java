package io.delayqueue.jdbc.relay;

import io.delayqueue.DelayQueueException;
import io.delayqueue.Outbox;
import io.delayqueue.OutboxAnswer;
import io.delayqueue.OutboxAnswer.Outcome;
import io.delayqueue.OutboxOperation;
import io.delayqueue.OutboxReply;
import io.delayqueue.PartitionMark;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** An outbox that keeps what it is sent, and remembers tokens as Redis does. */
final class StandInOutbox implements Outbox {

    final List<OutboxOperation> applied = new ArrayList<>();
    private final Map<String, Outcome> remembered = new HashMap<>();
    volatile Function<OutboxOperation, OutboxAnswer> answers = StandInOutbox::plain;
    volatile Runnable beforeReply = () -> {};
    volatile RuntimeException failure;
    int calls;

    @Override
    public CompletableFuture<Long> timeMicros() {
        if (failure != null) {
            return CompletableFuture.failedFuture(failure);
        }
        return CompletableFuture.completedFuture(ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now()));
    }

    @Override
    public CompletableFuture<List<PartitionMark>> marks(String topic) {
        return CompletableFuture.completedFuture(List.of());
    }

    @Override
    public CompletableFuture<Void> forget(long allSentMicros) {
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public synchronized CompletableFuture<OutboxReply> send(List<OutboxOperation> operations, long readAfterMicros) {
        calls++;
        if (failure != null) {
            return CompletableFuture.failedFuture(failure);
        }
        List<OutboxAnswer> replies = new ArrayList<>();
        Set<String> failed = new HashSet<>();
        for (OutboxOperation operation : operations) {
            String token = operation.topic() + '\n' + operation.id() + '\n' + operation.token();
            if (remembered.containsKey(token)) {
                replies.add(OutboxAnswer.of(remembered.get(token), true));
                continue;
            }
            OutboxAnswer answer = failed.contains(operation.id())
                    ? OutboxAnswer.failed(new DelayQueueException("the one before failed", null, null, null))
                    : answers.apply(operation);
            if (answer.isApplied()) {
                remembered.put(token, answer.outcome());
                applied.add(operation);
            } else {
                failed.add(operation.id());
            }
            replies.add(answer);
        }
        try {
            beforeReply.run();
        } catch (RuntimeException lostReply) {
            return CompletableFuture.failedFuture(lostReply);
        }
        return CompletableFuture.completedFuture(new OutboxReply(replies, List.of()));
    }

    static OutboxAnswer plain(OutboxOperation operation) {
        if (operation instanceof OutboxOperation.Schedule) {
            return OutboxAnswer.of(Outcome.SCHEDULED, false);
        }
        return OutboxAnswer.of(
                operation instanceof OutboxOperation.Cancel ? Outcome.CANCELLED : Outcome.RESCHEDULED, false);
    }

    synchronized List<String> appliedTokens() {
        return applied.stream().map(OutboxOperation::token).toList();
    }
}
