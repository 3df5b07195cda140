package io.delayqueue.jdbc.restore;

import io.delayqueue.PartitionMark;
import io.delayqueue.jdbc.JournalDatabase;
import io.delayqueue.jdbc.JournalTransaction;
import io.delayqueue.jdbc.dialect.Dialect;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.springframework.jdbc.core.simple.JdbcClient;

/** The journal's rows of partitions. */
final class KnownPartitions {

    private final JournalTransaction transaction;
    private final JdbcClient jdbc;
    private final Dialect dialect;
    private final String table;

    KnownPartitions(JournalDatabase database, JournalTransaction transaction) {
        this.transaction = transaction;
        this.jdbc = database.jdbc();
        this.dialect = database.dialect();
        this.table = database.tables().partition();
    }

    /** A row. */
    private record Row(int part, String instance, String epoch, long sent, long acked) {}

    /** What is known of a topic's partitions, by their numbers. */
    Map<Integer, KnownPartition> of(String topic) {
        List<Row> rows = transaction.executeByIndexes(() -> jdbc.sql(
                        "SELECT part, instance, epoch, sent, acked FROM " + table + " WHERE topic = ?")
                .param(dialect.name(topic))
                .query((row, number) -> new Row(
                        row.getInt("part"),
                        dialect.name(row, "instance"),
                        row.getString("epoch"),
                        row.getLong("sent"),
                        row.getLong("acked")))
                .list());
        Map<Integer, List<Row>> parts = new HashMap<>();
        rows.forEach(row ->
                parts.computeIfAbsent(row.part(), part -> new ArrayList<>()).add(row));
        Map<Integer, KnownPartition> known = new HashMap<>();
        parts.forEach((part, ofPart) -> known.put(part, known(ofPart)));
        return known;
    }

    private static KnownPartition known(List<Row> rows) {
        String agreed = rows.stream()
                .filter(row -> row.instance().equals(SeenMarks.AGREED))
                .map(Row::epoch)
                .findFirst()
                .orElse(null);
        long sent = 0;
        long acked = 0;
        for (Row row : rows) {
            if (row.epoch().equals(agreed)) {
                sent = Math.max(sent, row.sent());
                acked = Math.max(acked, row.acked());
            }
        }
        boolean refill = rows.stream().anyMatch(row -> row.instance().equals(SeenMarks.REFILL));
        return new KnownPartition(agreed, sent, acked, refill);
    }

    /** Topics with partitions that the journal knows, in their order behind one. */
    List<String> topicsAfter(String topic, int limit) {
        return transaction.executeByIndexes(() -> jdbc.sql("SELECT topic FROM " + table
                        + " WHERE topic > ? AND instance = ? GROUP BY topic ORDER BY topic" + dialect.limit(limit))
                .params(dialect.name(topic), dialect.name(SeenMarks.AGREED))
                .query((row, number) -> dialect.name(row, "topic"))
                .list());
    }

    /** From now on the partition has this epoch, and its unfinished messages are to be scheduled again. */
    void agree(PartitionMark mark) {
        transaction.run(() -> {
            delete(mark.topic(), mark.partition(), SeenMarks.AGREED);
            delete(mark.topic(), mark.partition(), SeenMarks.REFILL);
            insert(mark, SeenMarks.AGREED);
            insert(mark, SeenMarks.REFILL);
        });
    }

    /** The unfinished messages were scheduled again, unless the partition has got another epoch meanwhile. */
    void refilled(PartitionMark mark) {
        transaction.run(
                () -> jdbc.sql("DELETE FROM " + table + " WHERE topic = ? AND part = ? AND instance = ? AND epoch = ?")
                        .params(
                                dialect.name(mark.topic()),
                                mark.partition(),
                                dialect.name(SeenMarks.REFILL),
                                String.valueOf(mark.epoch()))
                        .update());
    }

    private void delete(String topic, int part, String instance) {
        jdbc.sql("DELETE FROM " + table + " WHERE topic = ? AND part = ? AND instance = ?")
                .params(dialect.name(topic), part, dialect.name(instance))
                .update();
    }

    private void insert(PartitionMark mark, String instance) {
        jdbc.sql("INSERT INTO " + table
                        + " (topic, part, instance, epoch, sent, acked, updated) VALUES (?, ?, ?, ?, ?, ?, "
                        + dialect.nowMicros() + ")")
                .params(
                        dialect.name(mark.topic()),
                        mark.partition(),
                        dialect.name(instance),
                        Objects.requireNonNull(mark.epoch(), "epoch"),
                        mark.sent(),
                        mark.acked())
                .update();
    }
}
