package io.delayqueue.jdbc.restore;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.jdbc.support.JournalDatabase;
import io.delayqueue.jdbc.support.JournalTables;
import io.delayqueue.jdbc.support.JournalTransaction;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;

/** A journal, and the rows that calls leave in it. */
abstract class RestoreRows {

    static final String TOPIC = "orders";

    final JournalDatabase database;
    final JdbcClient jdbc;
    final JournalTransaction transaction;

    RestoreRows(DataSource dataSource) {
        this.database = new JournalDatabase(dataSource, new JournalTables(JournalTables.DEFAULT_PREFIX));
        this.jdbc = database.jdbc();
        this.transaction = new JournalTransaction(dataSource, database.dialect());
    }

    /** A message ends, of any generation if that is null. */
    void finish(String id, @Nullable String generation, String status) {
        jdbc.sql("UPDATE delayqueue_message SET status = ?, finished = "
                        + database.dialect().nowMicros()
                        + " WHERE topic = ? AND id = ? AND generation LIKE ? AND finished IS NULL")
                .params(status, name(TOPIC), name(id), generation == null ? "%" : generation)
                .update();
    }

    /** Messages as a committed call leaves them, with an outbox row each; message i is due so long after the call. */
    List<String> schedule(String prefix, int count, Duration first, Duration between) {
        List<String> ids = IntStream.range(0, count).mapToObj(i -> prefix + i).toList();
        schedule(ids, first, between);
        return ids;
    }

    void schedule(List<String> ids, Duration delay) {
        schedule(ids, delay, Duration.ZERO);
    }

    private void schedule(List<String> ids, Duration first, Duration between) {
        List<Object[]> messages = new ArrayList<>();
        List<Object[]> rows = new ArrayList<>();
        String now = database.dialect().nowMicros();
        for (int i = 0; i < ids.size(); i++) {
            String id = ids.get(i);
            long delay = first.plus(between.multipliedBy(i)).toNanos() / 1_000;
            messages.add(new Object[] {name(TOPIC), name(id), generation(i), delay, new byte[] {1, 2, 3}});
            rows.add(new Object[] {name(TOPIC), name(id), generation(i), "S" + generation(i) + ";"});
        }
        transaction.run(() -> {
            JdbcTemplate template = new JdbcTemplate(database.dataSource());
            template.batchUpdate(
                    "INSERT INTO delayqueue_outbox (topic, id, generation, operations, changes, sender, send_at, created,"
                            + " failures) VALUES (?, ?, ?, ?, 1, 0, " + now + ", " + now + ", 0)",
                    rows);
            template.batchUpdate(
                    "INSERT INTO delayqueue_message (topic, id, generation, status, attempts, priority, duplicates, due,"
                            + " due_is_instant, created, updated, headers, payload) VALUES (?, ?, ?, 'OUTBOX', 0, 4,"
                            + " 'REJECT', " + now + " + ?, 0, " + now + ", " + now + ", '{}', ?)",
                    messages);
        });
    }

    List<String> schedule(String prefix, int count, Duration delay) {
        return schedule(prefix, count, delay, Duration.ZERO);
    }

    /** Another topic gets the messages of the usual one, before they are sent. */
    void copyTo(String topic) {
        copyTo(
                topic,
                "delayqueue_message",
                "id, generation, status, attempts, priority, duplicates, due, due_is_instant, created, updated, headers, payload");
        copyTo(topic, "delayqueue_outbox", "id, generation, operations, changes, sender, send_at, created, failures");
    }

    private void copyTo(String topic, String table, String columns) {
        jdbc.sql("INSERT INTO " + table + " (topic, " + columns + ") SELECT ?, " + columns + " FROM " + table
                        + " WHERE topic = ?")
                .params(name(topic), name(TOPIC))
                .update();
    }

    static String generation(int i) {
        return String.format(Locale.ROOT, "g%07d", i);
    }

    void cancel(String id) {
        jdbc.sql("INSERT INTO delayqueue_outbox (topic, id, operations, changes, sender, send_at, created, failures)"
                        + " VALUES (?, ?, 'Cfixture0;', 1, 0, "
                        + database.dialect().nowMicros() + ", "
                        + database.dialect().nowMicros() + ", 0)")
                .params(name(TOPIC), name(id))
                .update();
    }

    /** A message of the outbox that was sent gets another due time, by a row that may be sent so much later. */
    void reschedule(String id, Duration delay, Duration sendAfter) {
        String now = database.dialect().nowMicros();
        long due = jdbc.sql("SELECT " + now + " FROM delayqueue_schema")
                        .query(Long.class)
                        .single()
                + delay.toNanos() / 1_000;
        jdbc.sql("INSERT INTO delayqueue_outbox (topic, id, operations, changes, sender, send_at, created, failures)"
                        + " VALUES (?, ?, ?, 1, 0, " + now + " + ?, " + now + ", 0)")
                .params(name(TOPIC), name(id), "Rfixture0:d" + due + ";", sendAfter.toNanos() / 1_000)
                .update();
    }

    /** Adds a change to the row of a message that was not sent, and another message, due when that one is, that replaces it. */
    void replace(String id, String change, String generation) {
        transaction.run(() -> {
            jdbc.sql(
                            "INSERT INTO delayqueue_message (topic, id, generation, status, attempts, priority, duplicates, due,"
                                    + " due_is_instant, created, updated, headers, payload) SELECT topic, id, ?, status, attempts,"
                                    + " priority, 'REPLACE', due, due_is_instant, created, updated, headers, payload"
                                    + " FROM delayqueue_message WHERE topic = ? AND id = ?")
                    .params(generation, name(TOPIC), name(id))
                    .update();
            jdbc.sql("UPDATE delayqueue_outbox SET operations = CONCAT(operations, ?), changes = 3"
                            + " WHERE topic = ? AND id = ?")
                    .params(change + "S" + generation + ";", name(TOPIC), name(id))
                    .update();
        });
    }

    /** Frees rows of the outbox that have a sender. */
    void endClaims() {
        // relays look at times before their last search once a minute only
        jdbc.sql("UPDATE delayqueue_outbox SET send_at = " + database.dialect().nowMicros())
                .update();
    }

    String expectedEpoch() {
        return jdbc.sql("SELECT epoch FROM delayqueue_partition WHERE instance = ?")
                .param(name(KnownPartitions.EXPECTED))
                .query(String.class)
                .single();
    }

    long openRefills() {
        return rows(KnownPartitions.REFILL);
    }

    /** Rows of partitions that are no instance's. */
    long rows(String instance) {
        return jdbc.sql("SELECT COUNT(*) FROM delayqueue_partition WHERE instance = ?")
                .param(name(instance))
                .query(Long.class)
                .single();
    }

    long count(String condition) {
        return jdbc.sql("SELECT COUNT(*) FROM delayqueue_message WHERE " + condition)
                .query(Long.class)
                .single();
    }

    String status(String id) {
        return jdbc.sql("SELECT status FROM delayqueue_message WHERE topic = ? AND id = ?")
                .params(name(TOPIC), name(id))
                .query(String.class)
                .single();
    }

    void awaitSent() {
        await().untilAsserted(() -> assertThat(jdbc.sql("SELECT COUNT(*) FROM delayqueue_outbox")
                        .query(Long.class)
                        .single())
                .isZero());
    }

    static ConditionFactory await() {
        return Awaitility.await().atMost(Duration.ofSeconds(60)).pollInterval(Duration.ofMillis(50));
    }

    Object name(String name) {
        return database.dialect().name(name);
    }
}
