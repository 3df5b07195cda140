package io.delayqueue.spring;

import io.delayqueue.DelayQueueException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Operations of one transaction: handed over after its commit, discarded after a rollback. A rollback to a savepoint discards
 * those after the savepoint. Used by one thread only.
 */
final class DeferredOperations implements TransactionSynchronization {

    private static final Logger log = LoggerFactory.getLogger(DeferredOperations.class);

    private final CommittedOperations committed;
    private final List<AfterCommitOperation<?>> operations = new ArrayList<>();
    private final List<Savepoint> savepoints = new ArrayList<>();

    private DeferredOperations(CommittedOperations committed) {
        this.committed = committed;
    }

    /** Operations of the thread's transaction, which must be active. */
    static DeferredOperations ofCurrentTransaction(CommittedOperations committed) {
        for (TransactionSynchronization synchronization : TransactionSynchronizationManager.getSynchronizations()) {
            if (synchronization instanceof DeferredOperations deferred && deferred.committed == committed) {
                return deferred;
            }
        }
        DeferredOperations deferred = new DeferredOperations(committed);
        TransactionSynchronizationManager.registerSynchronization(deferred);
        return deferred;
    }

    void add(AfterCommitOperation<?> operation) {
        operations.add(operation);
    }

    @Override
    public void savepoint(Object savepoint) {
        savepoints.add(new Savepoint(savepoint, operations.size()));
    }

    @Override
    public void savepointRollback(Object savepoint) {
        int index = savepoints.size() - 1;
        while (index >= 0 && savepoints.get(index).key != savepoint) {
            index--;
        }
        // an unknown one is older than the first operation
        int kept = index < 0 ? 0 : savepoints.get(index).operations;
        List<AfterCommitOperation<?>> discarded = operations.subList(kept, operations.size());
        discarded.forEach(operation -> operation.answer().cancel(false));
        discarded.clear();
        savepoints.subList(index + 1, savepoints.size()).clear();
    }

    /** Rolls the transaction back rather than take on more than can be kept for Redis. */
    @Override
    public void beforeCommit(boolean readOnly) {
        committed.requireCapacity(operations);
    }

    @Override
    public void afterCommit() {
        take(committed::send);
    }

    /** Also sends what other synchronizations deferred after the commit. */
    @Override
    public void afterCompletion(int status) {
        switch (status) {
            case STATUS_COMMITTED -> take(committed::send);
            case STATUS_ROLLED_BACK ->
                take(discarded ->
                        discarded.forEach(operation -> operation.answer().cancel(false)));
            default -> take(DeferredOperations::giveUp);
        }
    }

    private void take(Consumer<List<AfterCommitOperation<?>>> receiver) {
        if (!operations.isEmpty()) {
            // those given up by their callers are not sent
            List<AfterCommitOperation<?>> taken = operations.stream()
                    .filter(operation -> !operation.answer().isDone())
                    .toList();
            operations.clear();
            receiver.accept(taken);
        }
    }

    /** The transaction manager can't tell whether the transaction was committed. */
    private static void giveUp(List<AfterCommitOperation<?>> operations) {
        LostOperations.log(log, "not sent, since the outcome of their transaction is unknown", operations);
        operations.forEach(operation -> operation
                .answer()
                .completeExceptionally(new DelayQueueException(
                        "The outcome of the transaction is unknown, so this was not sent: " + operation,
                        operation.topic(),
                        operation.id(),
                        null)));
    }

    /** A savepoint, and how many operations came before it. */
    private record Savepoint(Object key, int operations) {}
}
