package io.delayqueue.jdbc.restore;

import io.delayqueue.PartitionMark;
import io.delayqueue.jdbc.dialect.Dialect;
import io.delayqueue.jdbc.dialect.RowInsert;
import io.delayqueue.jdbc.dialect.RowInsert.Type;
import io.delayqueue.jdbc.dialect.RowInserter;
import io.delayqueue.jdbc.support.JournalDatabase;
import io.delayqueue.jdbc.support.JournalTransaction;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.JdbcOperations;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * The journal's rows of partitions: what instances saw, the epoch that is expected, and losses that are not repaired yet. A loss is a pair
 * of rows, which stay until the work is done that they stand for, by this instance or another one.
 */
final class KnownPartitions {

    /**
     * Instance of the row with the epoch whose answers are recorded. Its column {@code sent} has the code of the loss that was found when
     * the epoch was taken over.
     */
    static final String EXPECTED = "#epoch";

    /** Instance of the row that says that ended messages are still to be removed: until then claims are held. */
    static final String REMOVE = "#remove";

    /**
     * Instance of the row that says that unfinished messages are still to be scheduled again. Its column {@code ended} has the due time up
     * to which they may have been.
     */
    static final String REFILL = "#refill";

    /** Instance of the row with the time at which the topic was deleted, in the column of what was sent. */
    static final String DELETED = "#deleted";

    /** Number of partition in rows of a whole topic. */
    static final int OF_TOPIC = -1;

    private static final int PAGE = 500;

    private final JournalTransaction transaction;
    private final JdbcClient jdbc;
    private final Dialect dialect;
    private final String table;
    private final String leases;
    private final String select;
    private final JdbcOperations template;
    private final RowInserter deletions;
    private final RowInserter first;

    KnownPartitions(JournalDatabase database, JournalTransaction transaction) {
        this.transaction = transaction;
        this.jdbc = database.jdbc();
        this.dialect = database.dialect();
        this.table = database.tables().partition();
        this.leases = database.tables().lease();
        this.select = "SELECT part, instance, epoch, sent, ended FROM " + table + " WHERE topic = ?";
        this.template = new JdbcTemplate(database.dataSource());
        this.first = dialect.inserter(SeenMarks.row(database).build());
        // several instances may delete a topic at once
        this.deletions = dialect.inserter(RowInsert.into(table, "topic", "part", "instance")
                .column("topic", Type.NAME)
                .column("part", Type.INTEGER)
                .column("instance", Type.NAME)
                .column("epoch", "'-'")
                .column("sent", dialect.nowMicros())
                .column("ended", "0")
                .column("updated", dialect.nowMicros())
                .update("sent", dialect.nowMicros())
                .update("updated", dialect.nowMicros())
                .build());
    }

    /** A row. Those whose instance begins with # have something else in the column of what was sent. */
    private record Row(int part, String instance, String epoch, long sent, long ended) {

        /** Of rows of losses, and of that of the expected epoch. */
        long lossCode() {
            return sent;
        }

        /** Of rows of refills. */
        long refilledMicros() {
            return ended;
        }

        /** Of rows of deleted topics. */
        long deletedMicros() {
            return sent;
        }
    }

    /** The known state of a topic's partitions, by their numbers. */
    Map<Integer, KnownPartition> of(String topic) {
        Map<Integer, List<Row>> parts = new HashMap<>();
        transaction.execute(() -> rows(select, topic)).stream()
                .filter(row -> row.part() != OF_TOPIC)
                .forEach(row -> parts.computeIfAbsent(row.part(), part -> new ArrayList<>())
                        .add(row));
        Map<Integer, KnownPartition> known = new HashMap<>();
        parts.forEach((part, ofPart) -> known.put(part, known(ofPart, epoch(ofPart, EXPECTED))));
        return known;
    }

    private List<Row> rows(String sql, String topic, Object... parameters) {
        return jdbc.sql(sql)
                .param(dialect.name(topic))
                .params(List.of(parameters))
                .query((row, number) -> new Row(
                        row.getInt("part"),
                        dialect.name(row, "instance"),
                        row.getString("epoch"),
                        row.getLong("sent"),
                        row.getLong("ended")))
                .list();
    }

    private static KnownPartition known(List<Row> rows, @Nullable String expectedEpoch) {
        long sent = 0;
        long ended = 0;
        Loss loss = Loss.NONE;
        boolean lostBefore = false;
        long refilled = KnownPartition.NOT_BEGUN;
        for (Row row : rows) {
            if (row.instance().equals(REFILL)) {
                loss = Loss.of(row.lossCode());
                refilled = row.refilledMicros();
            } else if (row.instance().equals(EXPECTED)) {
                lostBefore = row.lossCode() != Loss.NONE.code();
            } else if (!row.instance().startsWith("#") && row.epoch().equals(expectedEpoch)) {
                sent = Math.max(sent, row.sent());
                ended = Math.max(ended, row.ended());
            }
        }
        return new KnownPartition(
                expectedEpoch, sent, ended, epoch(rows, REMOVE), epoch(rows, REFILL), loss, lostBefore, refilled);
    }

    private static @Nullable String epoch(List<Row> rows, String instance) {
        return rows.stream()
                .filter(row -> row.instance().equals(instance))
                .map(Row::epoch)
                .findFirst()
                .orElse(null);
    }

    /** Topics with partitions that the journal knows, and when a row of theirs last changed. Reads a page of rows at a time. */
    Map<String, Long> topics() {
        Map<String, Long> topics = new TreeMap<>();
        String last = "";
        while (true) {
            List<TopicRow> page = topicsAfter(last);
            page.stream()
                    .filter(row -> !row.instance().equals(DELETED))
                    .forEach(row -> topics.merge(row.topic(), row.updated(), Math::max));
            if (page.size() < PAGE) {
                return topics;
            }
            last = page.get(page.size() - 1).topic();
            // its rows that are left are not read: it may have been deleted, and used since
            topics.put(last, Long.MAX_VALUE);
        }
    }

    private List<TopicRow> topicsAfter(String topic) {
        return transaction.execute(() -> jdbc.sql(
                        "SELECT topic, instance, updated FROM " + table + dialect.byIndex("PRIMARY")
                                + " WHERE topic > ? ORDER BY topic, part, instance" + dialect.limit(PAGE))
                .param(dialect.name(topic))
                .query((row, number) ->
                        new TopicRow(dialect.name(row, "topic"), dialect.name(row, "instance"), row.getLong("updated")))
                .list());
    }

    private record TopicRow(String topic, String instance, long updated) {}

    /**
     * Expects a partition's new epoch from now on, and decides whether Redis lost data before it began. Instances that recorded answers
     * of the former one are waited for, and none does so afterwards.
     *
     * @param former the epoch that was expected
     * @param found what showed already; {@link Loss#NONE} if the counters tell with which the former epoch ended
     * @return the loss that was recorded, or {@link Loss#NONE}; empty if another instance has decided
     */
    Optional<Loss> decide(PartitionMark mark, String former, Loss found) {
        return transaction.execute(() -> {
            int updated = jdbc.sql("UPDATE " + table + " SET epoch = ?, sent = 0, updated = " + dialect.nowMicros()
                            + " WHERE topic = ? AND part = ? AND instance = ? AND epoch = ?")
                    .params(
                            Objects.requireNonNull(mark.epoch(), "epoch"),
                            dialect.name(mark.topic()),
                            mark.partition(),
                            dialect.name(EXPECTED),
                            former)
                    .update();
            if (updated == 0) {
                return Optional.empty();
            }
            List<Row> rows = rows(select + " AND part = ? FOR UPDATE", mark.topic(), mark.partition());
            KnownPartition known = known(rows, former);
            Loss loss = found == Loss.NONE ? known.compare(mark) : found;
            if (loss != Loss.NONE) {
                replace(mark, REMOVE, loss, 0);
                replace(mark, REFILL, loss, KnownPartition.NOT_BEGUN);
                jdbc.sql("UPDATE " + table + " SET sent = ? WHERE topic = ? AND part = ? AND instance = ?")
                        .params(loss.code(), dialect.name(mark.topic()), mark.partition(), dialect.name(EXPECTED))
                        .update();
            } else {
                // work that is still to be done is done on the server that has the messages now
                Stream.of(REMOVE, REFILL)
                        .filter(work -> known.since(work) != null)
                        .forEach(work ->
                                replace(mark, work, known.loss(), work.equals(REFILL) ? known.refilledMicros() : 0));
            }
            return Optional.of(loss);
        });
    }

    private void replace(PartitionMark mark, String instance, Loss loss, long ended) {
        delete(mark.topic(), mark.partition(), instance);
        insert(mark.topic(), mark.partition(), instance, String.valueOf(mark.epoch()), loss.code(), ended);
    }

    /** A refill of these losses is about to schedule messages again that are due until a time: they may be handled from now on. */
    void refilling(String topic, Map<Integer, String> refills, long dueUntilMicros) {
        transaction.run(() -> refills.forEach((part, epoch) -> jdbc.sql("UPDATE " + table + dialect.byIndex("PRIMARY")
                        + " SET ended = ? WHERE topic = ? AND part = ? AND instance = ? AND epoch = ?")
                .params(dueUntilMicros, dialect.name(topic), part, dialect.name(REFILL), epoch)
                .update()));
    }

    /** Expects the epoch that Redis has, if the journal expects none, as after the deletion of a topic that is in use again. */
    void expect(PartitionMark mark) {
        transaction.run(() -> first.insert(template, List.<Object[]>of(expectedRow(mark))));
    }

    /** Values of the row that expects a partition's first epoch. */
    static Object[] expectedRow(PartitionMark mark) {
        return new Object[] {
            mark.topic(), mark.partition(), EXPECTED, String.valueOf(mark.epoch()), Loss.NONE.code(), 0L
        };
    }

    /** Work on a loss is done, unless Redis has lost more data since that epoch. */
    void done(String topic, int part, String instance, String epoch) {
        transaction.execute(
                () -> jdbc.sql("DELETE FROM " + table + " WHERE topic = ? AND part = ? AND instance = ? AND epoch = ?")
                        .params(dialect.name(topic), part, dialect.name(instance), epoch)
                        .update());
    }

    /** A topic is being deleted: that is no loss, and its messages don't come back. */
    void deleted(String topic) {
        transaction.run(() -> {
            jdbc.sql("DELETE FROM " + table + " WHERE topic = ?")
                    .param(dialect.name(topic))
                    .update();
            deletions.insert(template, List.<Object[]>of(new Object[] {topic, OF_TOPIC, DELETED}));
            jdbc.sql("DELETE FROM " + leases + " WHERE name = ?")
                    .param(LastComparison.name(topic))
                    .update();
        });
    }

    /** The time at which a topic was deleted last, by the database's clock; {@link Long#MIN_VALUE} if it was not. */
    long deletedAt(String topic) {
        return transaction.execute(() -> rows(select + " AND part = " + OF_TOPIC, topic)).stream()
                .mapToLong(Row::deletedMicros)
                .max()
                .orElse(Long.MIN_VALUE);
    }

    private void delete(String topic, int part, String instance) {
        jdbc.sql("DELETE FROM " + table + " WHERE topic = ? AND part = ? AND instance = ?")
                .params(dialect.name(topic), part, dialect.name(instance))
                .update();
    }

    private void insert(String topic, int part, String instance, String epoch, long sent, long ended) {
        jdbc.sql("INSERT INTO " + table
                        + " (topic, part, instance, epoch, sent, ended, updated) VALUES (?, ?, ?, ?, ?, ?, "
                        + dialect.nowMicros() + ")")
                .params(dialect.name(topic), part, dialect.name(instance), epoch, sent, ended)
                .update();
    }
}
