package io.delayqueue.jdbc.restore;

import io.delayqueue.PartitionMark;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Marks that rows of this instance have, as far as it knows. Safe for use by several threads. */
final class WrittenMarks {

    /** Others may delete a row that did not change for a day, or whose topic is deleted. */
    private static final long TRUSTED_NANOS = Duration.ofHours(1).toNanos();

    private final LongSupplier nanoTime;
    private final Map<PartitionKey, Row> rows = new ConcurrentHashMap<>();

    private record Row(PartitionMark mark, long writtenNanos) {}

    WrittenMarks(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /** Whether the partition has a row of the mark's epoch. */
    boolean hasRow(PartitionMark mark) {
        Row row = row(mark);
        return row != null && Objects.equals(row.mark().epoch(), mark.epoch());
    }

    /** Whether the partition's row has this mark. */
    boolean has(PartitionMark mark) {
        Row row = row(mark);
        return row != null && row.mark().equals(mark);
    }

    private @Nullable Row row(PartitionMark mark) {
        Row row = rows.get(PartitionKey.of(mark));
        return row == null || nanoTime.getAsLong() - row.writtenNanos() > TRUSTED_NANOS ? null : row;
    }

    /** Rows were written, which are there once the caller's transaction is committed. */
    void written(List<PartitionMark> marks) {
        if (!TransactionSynchronizationManager.isSynchronizationActive()) {
            keep(marks);
            return;
        }
        TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
            @Override
            public void afterCommit() {
                keep(marks);
            }
        });
    }

    private void keep(List<PartitionMark> marks) {
        long now = nanoTime.getAsLong();
        marks.forEach(mark -> rows.put(PartitionKey.of(mark), new Row(mark, now)));
    }

    int size() {
        return rows.size();
    }

    /** Forgets a topic whose rows are deleted. */
    void forget(String topic) {
        rows.keySet().removeIf(key -> key.topic().equals(topic));
    }
}
