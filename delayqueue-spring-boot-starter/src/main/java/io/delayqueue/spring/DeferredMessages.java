package io.delayqueue.spring;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.ScheduleOutcome;
import io.delayqueue.ScheduleResult;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Messages of one transaction: sent after its commit, discarded after a rollback. Used by one thread only. */
final class DeferredMessages implements TransactionSynchronization {

    private static final Logger log = LoggerFactory.getLogger(DeferredMessages.class);

    private final DelayQueueClient client;
    private final List<OutgoingMessage> messages = new ArrayList<>();
    private final List<PendingAnswer> pendingAnswers = new ArrayList<>();

    private DeferredMessages(DelayQueueClient client) {
        this.client = client;
    }

    /** Messages of the thread's transaction, which must be active. */
    static DeferredMessages ofCurrentTransaction(DelayQueueClient client) {
        for (TransactionSynchronization synchronization : TransactionSynchronizationManager.getSynchronizations()) {
            if (synchronization instanceof DeferredMessages deferred && deferred.client == client) {
                return deferred;
            }
        }
        DeferredMessages deferred = new DeferredMessages(client);
        TransactionSynchronizationManager.registerSynchronization(deferred);
        return deferred;
    }

    void add(List<OutgoingMessage> added, @Nullable CompletableFuture<List<ScheduleResult>> answer) {
        if (answer != null) {
            pendingAnswers.add(new PendingAnswer(messages.size(), added.size(), answer));
        }
        messages.addAll(added);
    }

    @Override
    public void afterCommit() {
        send();
    }

    /** Also sends messages that other synchronizations scheduled after commit. */
    @Override
    public void afterCompletion(int status) {
        if (status == STATUS_COMMITTED) {
            send();
        } else {
            pendingAnswers.forEach(one -> one.answer.cancel(false));
        }
    }

    private void send() {
        if (messages.isEmpty()) {
            return;
        }
        List<OutgoingMessage> sent = List.copyOf(messages);
        List<PendingAnswer> answered = List.copyOf(pendingAnswers);
        messages.clear();
        pendingAnswers.clear();
        List<ScheduleResult> results;
        try {
            results = client.scheduleAll(sent);
        } catch (RuntimeException e) {
            answered.forEach(one -> one.answer.completeExceptionally(e));
            throw e;
        }
        warnOfDuplicates(sent, results);
        answered.forEach(one -> one.answer.complete(List.copyOf(results.subList(one.from, one.from + one.count))));
    }

    private static void warnOfDuplicates(List<OutgoingMessage> sent, List<ScheduleResult> results) {
        for (int i = 0; i < results.size(); i++) {
            if (results.get(i).outcome() == ScheduleOutcome.REJECTED_DUPLICATE) {
                log.warn(
                        "Message '{}' to topic '{}' was not scheduled after commit: the topic has a message with this id",
                        results.get(i).id(),
                        sent.get(i).topic());
            }
        }
    }

    /** A future and the range of results that complete it. */
    private record PendingAnswer(int from, int count, CompletableFuture<List<ScheduleResult>> answer) {}
}
