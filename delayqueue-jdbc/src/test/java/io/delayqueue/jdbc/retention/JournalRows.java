package io.delayqueue.jdbc.retention;

import io.delayqueue.jdbc.support.JournalDatabase;
import io.delayqueue.jdbc.support.JournalTables;
import io.delayqueue.jdbc.support.JournalTransaction;
import io.delayqueue.jdbc.testsupport.database.TestDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Rows of the journal, each some days old by the database's clock. Ids are a name, a hyphen and a number. */
final class JournalRows {

    private static final String TOPIC = "orders";

    private final JournalDatabase database;
    private final JdbcClient jdbc;
    private final JdbcTemplate template;
    private final TransactionTemplate transaction;
    private final String now;

    JournalRows(TestDatabase database) {
        this.database = new JournalDatabase(
                database.withSchema().dataSource(pool -> pool.setConnectionTimeout(10_000)),
                new JournalTables(JournalTables.DEFAULT_PREFIX));
        this.jdbc = this.database.jdbc();
        this.template = new JdbcTemplate(this.database.dataSource());
        this.transaction = new TransactionTemplate(new JdbcTransactionManager(this.database.dataSource()));
        this.now = this.database.dialect().nowMicros();
    }

    Pruner pruner(RetentionSettings settings) {
        return new Pruner(database, new JournalTransaction(database.dataSource(), database.dialect()), settings);
    }

    StalePartitions partitions(int mostRows) {
        return new StalePartitions(
                database,
                new JournalTransaction(database.dataSource(), database.dialect()),
                Duration.ofDays(90),
                mostRows);
    }

    /** The database's time in µs. */
    long now() {
        return jdbc.sql("SELECT " + now + " FROM delayqueue_schema")
                .query(Long.class)
                .single();
    }

    void messages(int count, String name, String status, int daysAgo) {
        message(count, name, status, now + " - " + micros(daysAgo));
    }

    void unfinished(int count, String name, String status) {
        message(count, name, status, "NULL");
    }

    private void message(int count, String name, String status, String finished) {
        insert(
                count,
                name,
                "INSERT INTO delayqueue_message (topic, id, generation, status, attempts, priority, duplicates, due,"
                        + " due_is_instant, created, updated, finished, payload) VALUES (?, ?, 'aaaaaaaa', '"
                        + status + "', 0, 4, 'REJECT', 0, 0, 0, 0, " + finished + ", ?)",
                new byte[] {1});
    }

    void events(int count, String name, int daysAgo) {
        insert(
                count,
                name,
                "INSERT INTO delayqueue_event (topic, id, event_time, sequence_no, generation, to_status) VALUES (?, ?, "
                        + now + " - " + micros(daysAgo) + ", 1, ?, 'ACKED')",
                "aaaaaaaa");
    }

    void inbox(int count, String name, int daysAgo) {
        insert(
                count,
                name,
                "INSERT INTO delayqueue_inbox (topic, id, generation, listener, handled) VALUES (?, ?, 'aaaaaaaa', ?, "
                        + now + " - " + micros(daysAgo) + ")",
                database.dialect().name("listener"));
    }

    private void insert(int count, String name, String sql, Object last) {
        List<Object[]> rows = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            rows.add(new Object[] {name(TOPIC), name(name + "-" + i), last});
        }
        transaction.executeWithoutResult(status -> template.batchUpdate(sql, rows));
    }

    /** Adds messages that are too old, at most 1,000 a second, until it is told to end. */
    int intake(AtomicBoolean ends) {
        int added = 0;
        for (int i = 0; !ends.get(); i++) {
            messages(100, "intake" + i, "ACKED", 8);
            added += 100;
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100));
        }
        return added;
    }

    void outbox(String id) {
        jdbc.sql("INSERT INTO delayqueue_outbox (topic, id, operations, changes, sender, send_at, created, failures)"
                        + " VALUES (?, ?, 'Caaaaaaaa;', 1, 0, 0, 0, 0)")
                .params(name(TOPIC), name(id))
                .update();
    }

    void partition(String instance, String epoch, long sent, long ended, int daysAgo) {
        jdbc.sql("INSERT INTO delayqueue_partition (topic, part, instance, epoch, sent, ended, updated)"
                        + " VALUES (?, 0, ?, ?, ?, ?, " + now + " - " + micros(daysAgo) + ")")
                .params(name(TOPIC), name(instance), epoch, sent, ended)
                .update();
    }

    /** Names of the ids in a table, each once. */
    List<String> ids(String table) {
        return jdbc
                .sql("SELECT id FROM delayqueue_" + table)
                .query((row, number) -> database.dialect().name(row, "id"))
                .stream()
                .map(id -> id.substring(0, id.lastIndexOf('-')))
                .distinct()
                .sorted()
                .toList();
    }

    List<String> instances() {
        return jdbc.sql("SELECT instance FROM delayqueue_partition")
                .query((row, number) -> database.dialect().name(row, "instance"))
                .list();
    }

    int count(String table, String condition) {
        return jdbc.sql("SELECT COUNT(*) FROM delayqueue_" + table + " WHERE " + condition)
                .query(Integer.class)
                .single();
    }

    private static long micros(int days) {
        return TimeUnit.DAYS.toMicros(days);
    }

    private Object name(String name) {
        return database.dialect().name(name);
    }
}
