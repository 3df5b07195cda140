package io.delayqueue.jdbc.relay;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.DuplicatePolicy;
import io.delayqueue.jdbc.outbox.MessageId;
import io.delayqueue.jdbc.support.JournalDatabase;
import io.delayqueue.jdbc.support.JournalTables;
import io.delayqueue.jdbc.testsupport.database.TestDatabase;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Rows of the journal as tests need them: written as committed calls leave them. */
final class OutboxFixture {

    static final String TOPIC = "orders";
    static final byte[] TOO_LARGE = new byte[RedisFixture.MAX_PAYLOAD + 1];
    static final long MINE = 4711;
    static final long ENDED = -1_000_000;

    final JournalDatabase database;
    final JdbcClient jdbc;

    OutboxFixture(TestDatabase database) {
        this(database.withSchema().dataSource());
    }

    OutboxFixture(DataSource dataSource) {
        this.database = new JournalDatabase(dataSource, new JournalTables(JournalTables.DEFAULT_PREFIX));
        this.jdbc = database.jdbc();
    }

    /** A message and its row in the outbox; it is free so long after now. */
    void scheduled(String id, String generation, long sender, long endsInMicros) {
        message(id, generation, 60_000_000, new byte[] {1, 2, 3});
        row(id, "S" + generation + ";", 1, sender, endsInMicros);
    }

    void message(String id, String generation, long dueInMicros, byte[] payload) {
        messages(List.of(id), List.of(generation), dueInMicros, payload);
    }

    /** How Redis shall treat a duplicate of the message. */
    void ifExists(String generation, DuplicatePolicy policy) {
        jdbc.sql("UPDATE delayqueue_message SET duplicates = ? WHERE generation = ?")
                .params(policy.name(), generation)
                .update();
    }

    /** Gives a column of a message another value. */
    void set(String generation, String column, Object value) {
        jdbc.sql("UPDATE delayqueue_message SET " + column + " = ? WHERE generation = ?")
                .params(value, generation)
                .update();
    }

    /** The database's time in µs. */
    long now() {
        return jdbc.sql("SELECT " + database.dialect().nowMicros() + " FROM delayqueue_schema")
                .query(Long.class)
                .single();
    }

    /** A change that was written when the row became free, or now. */
    void row(String id, String operations, int changes, long sender, long endsInMicros) {
        rows(List.of(id), List.of(operations), changes, sender, endsInMicros);
    }

    void messages(List<String> ids, List<String> generations, long dueInMicros, byte[] payload) {
        String now = database.dialect().nowMicros();
        List<Object[]> batch = new ArrayList<>();
        for (int i = 0; i < ids.size(); i++) {
            batch.add(new Object[] {name(TOPIC), name(ids.get(i)), generations.get(i), dueInMicros, payload});
        }
        insert(
                "INSERT INTO delayqueue_message (topic, id, generation, status, attempts, priority, duplicates, due,"
                        + " due_is_instant, created, updated, headers, payload) VALUES (?, ?, ?, 'OUTBOX', 0, 4, 'REJECT', "
                        + now + " + ?, 0, " + now + ", " + now + ", '{\"k\":\"v\"}', ?)",
                batch);
    }

    void rows(List<String> ids, List<String> operations, int changes, long sender, long endsInMicros) {
        String now = database.dialect().nowMicros();
        List<Object[]> batch = new ArrayList<>();
        for (int i = 0; i < ids.size(); i++) {
            batch.add(new Object[] {
                name(TOPIC),
                name(ids.get(i)),
                operations.get(i),
                changes,
                sender,
                endsInMicros,
                Math.min(0, endsInMicros)
            });
        }
        insert(
                "INSERT INTO delayqueue_outbox (topic, id, operations, changes, sender, send_at, created, failures)"
                        + " VALUES (?, ?, ?, ?, ?, " + now + " + ?, " + now + " + ?, 0)",
                batch);
    }

    /** In one transaction: thousands of them would take seconds. */
    private void insert(String sql, List<Object[]> batch) {
        new TransactionTemplate(new DataSourceTransactionManager(database.dataSource()))
                .executeWithoutResult(status -> new JdbcTemplate(database.dataSource()).batchUpdate(sql, batch));
    }

    /** Many messages with rows that are free. */
    List<String> scheduled(int count, String prefix) {
        return scheduled(count, prefix, "x".repeat(100).getBytes(StandardCharsets.US_ASCII), 1, ENDED);
    }

    /** Many messages with their rows. */
    List<String> scheduled(int count, String prefix, byte[] payload, long sender, long endsInMicros) {
        List<String> ids = new ArrayList<>();
        List<String> generations = new ArrayList<>();
        List<String> operations = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            ids.add(prefix + i);
            generations.add(String.format(Locale.ROOT, "g%07d", i));
            operations.add("S" + generations.get(i) + ";");
        }
        messages(ids, generations, 3_600_000_000L, payload);
        rows(ids, operations, 1, sender, endsInMicros);
        return ids;
    }

    /** Moves all rows to another topic. */
    void moveTo(String topic) {
        jdbc.sql("UPDATE delayqueue_outbox SET topic = ?").param(name(topic)).update();
        jdbc.sql("UPDATE delayqueue_message SET topic = ?").param(name(topic)).update();
    }

    String status(String id, String generation) {
        return jdbc.sql("SELECT status FROM delayqueue_message WHERE topic = ? AND id = ? AND generation = ?")
                .params(name(TOPIC), name(id), generation)
                .query(String.class)
                .single();
    }

    /** How many messages have each status. */
    Map<String, Integer> statuses() {
        Map<String, Integer> statuses = new TreeMap<>();
        jdbc.sql("SELECT status, COUNT(*) FROM delayqueue_message GROUP BY status")
                .query(row -> {
                    statuses.put(row.getString(1), row.getInt(2));
                });
        return statuses;
    }

    int outboxRows() {
        return jdbc.sql("SELECT COUNT(*) FROM delayqueue_outbox")
                .query(Integer.class)
                .single();
    }

    String operations(String id) {
        return operationsOf(id).orElseThrow();
    }

    Optional<String> operationsOf(String id) {
        return jdbc.sql("SELECT operations FROM delayqueue_outbox WHERE topic = ? AND id = ?")
                .params(name(TOPIC), name(id))
                .query(String.class)
                .optional();
    }

    /** The change that a later transaction makes to a row that was not sent yet. */
    void append(String id, String operation) {
        append(jdbc, id, operation);
    }

    /** @return 1, or 0 if there is no row */
    int append(JdbcClient jdbc, String id, String operation) {
        return jdbc.sql("UPDATE delayqueue_outbox SET operations = CONCAT(operations, ?), changes = changes + 1"
                        + " WHERE topic = ? AND id = ?")
                .params(operation, name(TOPIC), name(id))
                .update();
    }

    /**
     * All rows are free; a relay that runs finds them with its next poll. By the primary key, as all of the journal's changes: MariaDB
     * would lock entries of the index on send times first, and run into a deadlock with a transaction that removes a row.
     */
    void freeRows() {
        jdbc.sql("UPDATE delayqueue_outbox" + database.dialect().byIndex("PRIMARY") + " SET send_at = "
                        + database.dialect().nowMicros()
                        + " WHERE send_at < 9000000000000000000")
                .update();
    }

    Object name(String name) {
        return database.dialect().name(name);
    }

    /**
     * Lets a relay poll until it has recorded all that it sent: another relay's claim may hold rows for a moment while it looks at them.
     *
     * @return rows that it sent
     */
    static int drain(Relay relay) {
        AtomicInteger sent = new AtomicInteger();
        await().untilAsserted(() -> {
            sent.addAndGet(relay.runOnce());
            assertThat(relay.locked())
                    .as("sent rows that other transactions hold")
                    .isZero();
        });
        return sent.get();
    }

    /** Waits for a fact, patiently: machines may be busy. */
    static ConditionFactory await() {
        return Awaitility.await().atMost(Duration.ofMinutes(1));
    }

    static MessageId key(String id) {
        return new MessageId(TOPIC, id);
    }
}
