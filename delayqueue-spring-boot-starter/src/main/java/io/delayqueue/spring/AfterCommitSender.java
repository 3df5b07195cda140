package io.delayqueue.spring;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.ScheduleOutcome;
import io.delayqueue.ScheduleResult;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Sends messages after the commit of the thread's Spring transaction, in order and in one call; at once outside a transaction.
 * A payload that {@link DelayQueueClient} would refuse for its size is refused before the commit.
 */
final class AfterCommitSender implements MessageSender {

    private final DelayQueueClient client;
    private final ImmediateSender immediate;

    AfterCommitSender(DelayQueueClient client) {
        this.client = client;
        this.immediate = new ImmediateSender(client);
    }

    @Override
    public ScheduleResult send(OutgoingMessage message) {
        return inTransaction() ? sendAll(List.of(message)).get(0) : immediate.send(message);
    }

    @Override
    public CompletableFuture<ScheduleResult> sendAsync(OutgoingMessage message) {
        return inTransaction()
                ? sendAllAsync(List.of(message)).thenApply(results -> results.get(0))
                : immediate.sendAsync(message);
    }

    @Override
    public List<ScheduleResult> sendAll(List<OutgoingMessage> messages) {
        if (!inTransaction()) {
            return immediate.sendAll(messages);
        }
        defer(messages, null);
        return messages.stream()
                .map(message -> new ScheduleResult(message.id(), ScheduleOutcome.SCHEDULED))
                .toList();
    }

    @Override
    public CompletableFuture<List<ScheduleResult>> sendAllAsync(List<OutgoingMessage> messages) {
        if (!inTransaction()) {
            return immediate.sendAllAsync(messages);
        }
        CompletableFuture<List<ScheduleResult>> answer = new CompletableFuture<>();
        defer(messages, answer);
        return answer;
    }

    private static boolean inTransaction() {
        return TransactionSynchronizationManager.isSynchronizationActive()
                && TransactionSynchronizationManager.isActualTransactionActive();
    }

    private void defer(List<OutgoingMessage> messages, @Nullable CompletableFuture<List<ScheduleResult>> answer) {
        int maxPayload = client.options().maxPayload();
        for (OutgoingMessage message : messages) {
            if (message.payload().length > maxPayload) {
                throw new IllegalArgumentException("payload of message '" + message.id() + "' to topic '"
                        + message.topic() + "' has " + message.payload().length + " bytes, more than maxPayload ("
                        + maxPayload + ")");
            }
        }
        DeferredMessages.ofCurrentTransaction(client).add(messages, answer);
    }
}
