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

/** The messages of one transaction: sent when it commits, forgotten when it does not. Seen by one thread only. */
final class DeferredMessages implements TransactionSynchronization {

    private static final Logger log = LoggerFactory.getLogger(DeferredMessages.class);

    private final DelayQueueClient client;
    private final List<OutgoingMessage> messages = new ArrayList<>();
    private final List<Waiting> waiting = new ArrayList<>();

    private DeferredMessages(DelayQueueClient client) {
        this.client = client;
    }

    /** Those of the thread's transaction, which must be active. */
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
            waiting.add(new Waiting(messages.size(), added.size(), answer));
        }
        messages.addAll(added);
    }

    @Override
    public void afterCommit() {
        send();
    }

    /** Sends as well what other synchronizations scheduled in their turn after commit. */
    @Override
    public void afterCompletion(int status) {
        if (status == STATUS_COMMITTED) {
            send();
        } else {
            waiting.forEach(one -> one.answer.cancel(false));
        }
    }

    private void send() {
        if (messages.isEmpty()) {
            return;
        }
        List<OutgoingMessage> sent = List.copyOf(messages);
        List<Waiting> answered = List.copyOf(waiting);
        messages.clear();
        waiting.clear();
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
                        "Message '{}' to topic '{}' was not scheduled after commit: one with this id exists",
                        results.get(i).id(),
                        sent.get(i).topic());
            }
        }
    }

    /** A future and which of the results are its own. */
    private record Waiting(int from, int count, CompletableFuture<List<ScheduleResult>> answer) {}
}
