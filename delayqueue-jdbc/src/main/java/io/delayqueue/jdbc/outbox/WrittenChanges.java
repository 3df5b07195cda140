package io.delayqueue.jdbc.outbox;

import java.util.ArrayList;
import java.util.List;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * The changes that one transaction wrote, handed over in its last hook. Rows decide about what is sent: a change whose row was rolled
 * back is not found. Used by one thread only.
 */
final class WrittenChanges implements TransactionSynchronization {

    private final HandOver handOver;
    private final List<CommittedChange> changes = new ArrayList<>();
    private final List<Savepoint> savepoints = new ArrayList<>();

    private WrittenChanges(HandOver handOver) {
        this.handOver = handOver;
    }

    /** Those of the thread's transaction, which must be active. */
    static WrittenChanges ofCurrentTransaction(HandOver handOver) {
        for (TransactionSynchronization synchronization : TransactionSynchronizationManager.getSynchronizations()) {
            if (synchronization instanceof WrittenChanges written && written.handOver == handOver) {
                return written;
            }
        }
        WrittenChanges written = new WrittenChanges(handOver);
        TransactionSynchronizationManager.registerSynchronization(written);
        return written;
    }

    void addAll(List<CommittedChange> written) {
        changes.addAll(written);
    }

    @Override
    public void savepoint(Object savepoint) {
        savepoints.add(new Savepoint(savepoint, changes.size()));
    }

    @Override
    public void savepointRollback(Object savepoint) {
        int index = savepoints.size() - 1;
        while (index >= 0 && savepoints.get(index).key != savepoint) {
            index--;
        }
        // an unknown one is older than the first change
        int kept = index < 0 ? 0 : savepoints.get(index).changes;
        List<CommittedChange> discarded = changes.subList(kept, changes.size());
        cancel(discarded);
        discarded.clear();
        savepoints.subList(index + 1, savepoints.size()).clear();
    }

    /** If the outcome is unknown, the rows tell it. */
    @Override
    public void afterCompletion(int status) {
        List<CommittedChange> taken = List.copyOf(changes);
        changes.clear();
        if (status == STATUS_ROLLED_BACK) {
            cancel(taken);
        } else if (!taken.isEmpty()) {
            handOver.offer(taken);
        }
    }

    private static void cancel(List<CommittedChange> rolledBack) {
        rolledBack.forEach(change -> change.answer().cancel(false));
    }

    /** A savepoint, and how many changes came before it. */
    private record Savepoint(Object key, int changes) {}
}
