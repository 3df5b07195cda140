package io.delayqueue.internal.engine;

import io.delayqueue.Outbox;
import io.delayqueue.OutboxOperation;
import io.delayqueue.OutboxOptions;
import io.delayqueue.OutboxReply;
import io.delayqueue.internal.store.OutboxStore;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * The outbox of a client.
 *
 * @param context what outboxes of the client share
 * @param options of this outbox
 * @param futures completes the answers
 */
record OutboxCalls(OutboxContext context, OutboxOptions options, UserFutures futures) implements Outbox {

    @Override
    public CompletableFuture<Long> timeMicros() {
        context.checks().requireOpen(null);
        return futures.of(
                null,
                null,
                () -> store().time().thenApply(micros -> {
                    context.epochs().timeTold(micros);
                    return micros;
                }));
    }

    @Override
    public CompletableFuture<OutboxReply> send(List<OutboxOperation> operations, long readAfterMicros) {
        context.checks().requireOpen(null);
        OutboxSend send = new OutboxSend(context, List.copyOf(operations), readAfterMicros, options);
        return futures.of(null, null, send::run);
    }

    @Override
    public CompletableFuture<Void> forget(long allSentMicros) {
        context.checks().requireOpen(null);
        long before = allSentMicros - options.remembered().toNanos() / 1000;
        return futures.of(null, null, () -> context.memory().forget(before));
    }

    private OutboxStore store() {
        return context.client().store().outbox();
    }
}
