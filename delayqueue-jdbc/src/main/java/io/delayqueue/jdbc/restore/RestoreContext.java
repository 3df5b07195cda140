package io.delayqueue.jdbc.restore;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.jdbc.support.JournalDatabase;
import io.delayqueue.jdbc.support.JournalTransaction;

/**
 * The objects that all parts of restoring share.
 *
 * @param client has the topics
 * @param database has the journal
 * @param transaction own transactions
 * @param settings how to restore
 * @param seen marks that this instance saw
 * @param pendingEnds ends of messages that are on their way to the journal
 * @param known marks of all instances
 * @param recorded messages of the journal
 * @param writer writes changes into the outbox, which sends them
 * @param nextComparison when all topics are to be compared
 */
record RestoreContext(
        DelayQueueClient client,
        JournalDatabase database,
        JournalTransaction transaction,
        RestoreSettings settings,
        SeenMarks seen,
        PendingEnds pendingEnds,
        KnownPartitions known,
        RecordedMessages recorded,
        RestoreWriter writer,
        NextComparison nextComparison) {

    static RestoreContext of(
            DelayQueueClient client,
            JournalDatabase database,
            SeenMarks seen,
            PendingEnds ends,
            RestoreSettings settings) {
        JournalTransaction transaction = new JournalTransaction(database.dataSource(), database.dialect());
        RecordedMessages recorded = new RecordedMessages(database, transaction);
        return new RestoreContext(
                client,
                database,
                transaction,
                settings,
                seen,
                ends,
                new KnownPartitions(database, transaction),
                recorded,
                new RestoreWriter(database, transaction, recorded),
                new NextComparison(database, transaction, recorded));
    }
}
