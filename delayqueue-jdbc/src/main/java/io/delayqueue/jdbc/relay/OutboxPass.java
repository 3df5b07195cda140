package io.delayqueue.jdbc.relay;

import io.delayqueue.Outbox;
import io.delayqueue.PartitionMark;
import io.delayqueue.jdbc.JournalDatabase;
import io.delayqueue.jdbc.JournalTransaction;
import io.delayqueue.jdbc.outbox.OutboxKey;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * The way of rows from the outbox to Redis: read, load, send, record. Hand-over and relay share it; they differ in how they find rows.
 * One thread may read and load while another one sends and records.
 */
final class OutboxPass {

    /** Sent rows that other transactions hold. Those beyond are left to a relay, which Redis tells that it knows them. */
    private static final int MOST_LOCKED = 10_000;

    private final JournalTransaction transaction;
    private final PendingRows rows;
    private final RowLoader loader;
    private final RowSender sender;
    private final RowRecorder recorder;
    private List<RowInTransit> locked = List.of();

    OutboxPass(JournalDatabase database, Outbox outbox, OutboxListener listener, OutboxSettings settings) {
        this.transaction = new JournalTransaction(database.dataSource(), database.dialect());
        this.rows = new PendingRows(database);
        this.loader = new RowLoader(transaction, new StoredMessages(database), rows);
        this.sender = new RowSender(outbox);
        this.recorder =
                new RowRecorder(transaction, rows, new MessageStates(database), listener, settings.maxFailures());
    }

    /** Rows of keys that have this claim. */
    List<PendingRow> find(Collection<OutboxKey> keys, long claim) {
        return transaction.executeByIndexes(() -> rows.find(keys, claim));
    }

    /** Claims rows whose claim has ended, from a time on. */
    PendingRows.Claimed claimEnded(long claim, long claimMicros, long floorMicros, int limit) {
        return transaction.executeByIndexes(() -> rows.claimEnded(claim, claimMicros, floorMicros, limit));
    }

    /** Loads rows, up to a batch's bound of bytes. */
    RowLoader.Loaded load(List<PendingRow> pending) {
        return loader.load(pending);
    }

    /**
     * Sends rows and records what became of them.
     *
     * @param readAfterMicros a time of Redis before the rows were read or claimed
     * @param answered gets each row when Redis has answered, before that is recorded
     * @return rows with further changes, which came while these were sent
     * @throws RuntimeException if Redis took no row, or the database failed; what is not recorded will be sent again
     */
    List<OutboxKey> send(List<RowInTransit> loaded, long readAfterMicros, Consumer<RowInTransit> answered) {
        List<PartitionMark> marks = sender.send(loaded, readAfterMicros);
        loaded.forEach(answered);
        List<RowInTransit> sent = new ArrayList<>(locked.size() + loaded.size());
        sent.addAll(locked);
        sent.addAll(loaded);
        RowRecorder.Remaining remaining = recorder.record(sent, marks);
        locked = remaining
                .locked()
                .subList(0, Math.min(MOST_LOCKED, remaining.locked().size()));
        throwIfRedisFailed(loaded);
        return remaining.grown();
    }

    /** Parts of Redis may be away while others are not: as long as some rows get through, there is no reason to pause. */
    private static void throwIfRedisFailed(List<RowInTransit> loaded) {
        if (loaded.isEmpty() || loaded.stream().anyMatch(row -> row.failureOfRedis() == null)) {
            return;
        }
        throw Objects.requireNonNull(loaded.get(0).failureOfRedis());
    }

    /** Whether there are rows whose claim has ended, from a time on. A look at one index entry, which an idle relay makes. */
    boolean hasEnded(long floorMicros) {
        return transaction.executeByIndexes(() -> rows.hasEnded(floorMicros));
    }

    /** Whether the outbox has no row. */
    boolean isEmpty() {
        return transaction.executeByIndexes(rows::isEmpty);
    }

    /** Records again those rows that other transactions held. */
    void recordLocked() {
        if (!locked.isEmpty()) {
            send(List.of(), 0, row -> {});
        }
    }
}
