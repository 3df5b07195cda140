package io.delayqueue.spring.autoconfigure;

import io.delayqueue.Outbox;
import io.delayqueue.OutboxOperation;
import io.delayqueue.OutboxReply;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * The outbox of the client that is the current one when a call is made.
 *
 * @param current the client's outbox
 */
record CurrentOutbox(Supplier<Outbox> current) implements Outbox {

    @Override
    public CompletableFuture<Long> timeMicros() {
        return current.get().timeMicros();
    }

    @Override
    public CompletableFuture<OutboxReply> send(List<OutboxOperation> operations, long readAfterMicros) {
        return current.get().send(operations, readAfterMicros);
    }

    @Override
    public CompletableFuture<Void> forget(long allSentMicros) {
        return current.get().forget(allSentMicros);
    }
}
