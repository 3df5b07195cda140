package io.delayqueue.jdbc.relay;

import io.delayqueue.Outbox;
import io.delayqueue.OutboxAnswer;
import io.delayqueue.OutboxOperation;
import io.delayqueue.OutboxReply;
import io.delayqueue.PartitionMark;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/** A client's outbox whose calls a test can count, hold up, or rob of their replies. */
final class WatchedOutbox implements Outbox {

    /** Changes that Redis applied for the first time, in order. */
    final List<OutboxOperation> applied = new CopyOnWriteArrayList<>();

    final AtomicInteger calls = new AtomicInteger();

    /** Runs in the sender's thread before a call. */
    volatile Consumer<List<OutboxOperation>> beforeCall = operations -> {};

    /** Runs when Redis has answered; what it throws is the call's failure. */
    volatile Runnable beforeReply = () -> {};

    private final Outbox outbox;

    WatchedOutbox(Outbox outbox) {
        this.outbox = outbox;
    }

    @Override
    public CompletableFuture<OutboxReply> send(List<OutboxOperation> operations, long readAfterMicros) {
        calls.incrementAndGet();
        beforeCall.accept(operations);
        return outbox.send(operations, readAfterMicros).thenApply(reply -> {
            for (int i = 0; i < operations.size(); i++) {
                OutboxAnswer answer = reply.answers().get(i);
                if (answer.isApplied() && !answer.repeated()) {
                    applied.add(operations.get(i));
                }
            }
            beforeReply.run();
            return reply;
        });
    }

    /** Runs something when Redis has answered the next call. */
    void beforeNextReply(Runnable once) {
        beforeReply = () -> {
            beforeReply = () -> {};
            once.run();
        };
    }

    @Override
    public CompletableFuture<Long> timeMicros() {
        return outbox.timeMicros();
    }

    @Override
    public CompletableFuture<List<PartitionMark>> marks(String topic) {
        return outbox.marks(topic);
    }

    @Override
    public CompletableFuture<Void> forget(long allSentMicros) {
        return outbox.forget(allSentMicros);
    }

    List<String> appliedTokens() {
        return applied.stream().map(OutboxOperation::token).toList();
    }
}
