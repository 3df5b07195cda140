package io.delayqueue.jdbc.relay;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.Outbox;
import io.delayqueue.OutboxAnswer;
import io.delayqueue.OutboxAnswer.Outcome;
import io.delayqueue.OutboxOperation;
import io.delayqueue.OutboxReply;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/** A client's outbox whose calls a test can count, hold up, or rob of their replies. */
final class WatchedOutbox implements Outbox {

    /** Changes that Redis applied for the first time, in order. */
    final List<OutboxOperation> applied = new CopyOnWriteArrayList<>();

    final AtomicInteger calls = new AtomicInteger();

    /** Changes that Redis had applied before. */
    final AtomicInteger repeated = new AtomicInteger();

    /** Changes that Redis found too late. */
    final AtomicInteger late = new AtomicInteger();

    /** Added to the times before which changes were read. */
    volatile long readAfterOffsetMicros;

    /** Runs in the sender's thread before a call. */
    volatile Consumer<List<OutboxOperation>> beforeCall = operations -> {};

    /** Times before which Redis was told to forget changes. */
    final List<Long> forgotten = new CopyOnWriteArrayList<>();

    /** Runs before Redis is asked for its time. */
    volatile Runnable beforeTime = () -> {};

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
        return outbox.send(operations, readAfterMicros + readAfterOffsetMicros).thenApply(reply -> {
            for (int i = 0; i < operations.size(); i++) {
                OutboxAnswer answer = reply.answers().get(i);
                if (answer.isApplied() && !answer.repeated()) {
                    applied.add(operations.get(i));
                }
                if (answer.repeated()) {
                    repeated.incrementAndGet();
                }
                if (answer.outcome() == Outcome.LATE) {
                    late.incrementAndGet();
                }
            }
            beforeReply.run();
            return reply;
        });
    }

    /**
     * Begins the topic's epoch, as its first changes do, which are late: from now on, changes that this client sends are taken the first
     * time.
     */
    void beginEpoch() {
        OutboxOperation change = new OutboxOperation.Cancel(OutboxFixture.TOPIC, "never", OutboxOperation.newToken());
        OutboxReply reply = outbox.timeMicros()
                .thenCompose(time -> outbox.send(List.of(change), time))
                .orTimeout(1, TimeUnit.MINUTES)
                .join();
        assertThat(reply.answers()).containsExactly(OutboxAnswer.of(Outcome.LATE, false));
    }

    /** Forgets all calls, and leaves the next ones alone. */
    void reset() {
        applied.clear();
        calls.set(0);
        repeated.set(0);
        late.set(0);
        readAfterOffsetMicros = 0;
        forgotten.clear();
        beforeCall = operations -> {};
        beforeTime = () -> {};
        beforeReply = () -> {};
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
        beforeTime.run();
        return outbox.timeMicros();
    }

    @Override
    public CompletableFuture<Void> forget(long allSentMicros) {
        forgotten.add(allSentMicros);
        return outbox.forget(allSentMicros);
    }

    List<String> appliedTokens() {
        return applied.stream().map(OutboxOperation::token).toList();
    }
}
