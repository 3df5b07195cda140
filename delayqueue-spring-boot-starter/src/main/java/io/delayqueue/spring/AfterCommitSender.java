package io.delayqueue.spring;

import io.delayqueue.CancelOutcome;
import io.delayqueue.Delay;
import io.delayqueue.DelayQueueClient;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.RescheduleOutcome;
import io.delayqueue.ScheduleOutcome;
import io.delayqueue.ScheduleResult;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.Supplier;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Makes calls after the commit of the thread's Spring transaction; at once outside a transaction. A message that
 * {@link DelayQueueClient} would refuse, such as for its size, is refused before the commit.
 */
final class AfterCommitSender implements MessageSender {

    private final DelayQueueClient client;
    private final CommittedOperations committed;
    private final ImmediateSender immediate;

    AfterCommitSender(DelayQueueClient client, CommittedOperations committed) {
        this.client = client;
        this.committed = committed;
        this.immediate = new ImmediateSender(client);
    }

    @Override
    public ScheduleResult schedule(OutgoingMessage message) {
        return inTransaction() ? scheduleAll(List.of(message)).get(0) : immediate.schedule(message);
    }

    @Override
    public CompletableFuture<ScheduleResult> scheduleAsync(OutgoingMessage message) {
        return inTransaction() ? toCaller(() -> deferAll(List.of(message)).get(0)) : immediate.scheduleAsync(message);
    }

    @Override
    public List<ScheduleResult> scheduleAll(List<OutgoingMessage> messages) {
        if (!inTransaction()) {
            return immediate.scheduleAll(messages);
        }
        deferAll(messages);
        return messages.stream()
                .map(message -> new ScheduleResult(message.id(), ScheduleOutcome.SCHEDULED))
                .toList();
    }

    @Override
    public CompletableFuture<List<ScheduleResult>> scheduleAllAsync(List<OutgoingMessage> messages) {
        if (!inTransaction()) {
            return immediate.scheduleAllAsync(messages);
        }
        List<OutgoingMessage> copy = List.copyOf(messages);
        Executor completions = client.completionExecutor();
        return BulkAnswers.ofSchedules(copy, deferAll(copy), completions);
    }

    @Override
    public CancelOutcome cancel(String topic, String id) {
        if (!inTransaction()) {
            return immediate.cancel(topic, id);
        }
        defer(AfterCommitOperation.cancel(topic, id));
        return CancelOutcome.AFTER_COMMIT;
    }

    @Override
    public CompletableFuture<CancelOutcome> cancelAsync(String topic, String id) {
        return inTransaction()
                ? toCaller(() -> defer(AfterCommitOperation.cancel(topic, id)))
                : immediate.cancelAsync(topic, id);
    }

    @Override
    public Map<String, CancelOutcome> cancelAll(String topic, Collection<String> ids) {
        if (!inTransaction()) {
            return immediate.cancelAll(topic, ids);
        }
        Map<String, CancelOutcome> outcomes = new LinkedHashMap<>();
        deferCancels(topic, ids).keySet().forEach(id -> outcomes.put(id, CancelOutcome.AFTER_COMMIT));
        return outcomes;
    }

    @Override
    public CompletableFuture<Map<String, CancelOutcome>> cancelAllAsync(String topic, Collection<String> ids) {
        if (!inTransaction()) {
            return immediate.cancelAllAsync(topic, ids);
        }
        Executor completions = client.completionExecutor();
        return BulkAnswers.ofCancels(topic, deferCancels(topic, ids), completions);
    }

    @Override
    public RescheduleOutcome reschedule(String topic, String id, Delay delay) {
        if (!inTransaction()) {
            return immediate.reschedule(topic, id, delay);
        }
        defer(AfterCommitOperation.reschedule(topic, id, delay));
        return RescheduleOutcome.AFTER_COMMIT;
    }

    @Override
    public CompletableFuture<RescheduleOutcome> rescheduleAsync(String topic, String id, Delay delay) {
        return inTransaction()
                ? toCaller(() -> defer(AfterCommitOperation.reschedule(topic, id, delay)))
                : immediate.rescheduleAsync(topic, id, delay);
    }

    private static boolean inTransaction() {
        return TransactionSynchronizationManager.isSynchronizationActive()
                && TransactionSynchronizationManager.isActualTransactionActive();
    }

    private List<CompletableFuture<ScheduleResult>> deferAll(List<OutgoingMessage> messages) {
        messages.forEach(this::check);
        return messages.stream()
                .map(message -> defer(AfterCommitOperation.schedule(message)))
                .toList();
    }

    private Map<String, CompletableFuture<CancelOutcome>> deferCancels(String topic, Collection<String> ids) {
        List<AfterCommitOperation<CancelOutcome>> operations = ids.stream()
                .distinct()
                .map(id -> AfterCommitOperation.cancel(topic, id))
                .toList();
        Map<String, CompletableFuture<CancelOutcome>> answers = new LinkedHashMap<>();
        operations.forEach(operation -> answers.put(operation.id(), defer(operation)));
        return answers;
    }

    private <T> CompletableFuture<T> defer(AfterCommitOperation<T> operation) {
        DeferredOperations.ofCurrentTransaction(committed).add(operation);
        return operation.answer();
    }

    /** Future for the caller, who may chain blocking work to it. Nothing is deferred if the client refuses further futures. */
    private <T> CompletableFuture<T> toCaller(Supplier<CompletableFuture<T>> defer) {
        Executor completions = client.completionExecutor();
        return LinkedFuture.of(defer.get(), Function.identity(), completions);
    }

    private void check(OutgoingMessage message) {
        int maxPayload = client.options().maxPayload();
        if (message.payload().length > maxPayload) {
            throw new IllegalArgumentException("payload of message '" + message.id() + "' to topic '" + message.topic()
                    + "' has " + message.payload().length + " bytes, more than maxPayload (" + maxPayload + ")");
        }
        client.options().messageCheck().check(message);
    }
}
