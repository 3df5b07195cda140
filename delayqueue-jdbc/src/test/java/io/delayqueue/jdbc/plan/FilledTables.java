package io.delayqueue.jdbc.plan;

import io.delayqueue.jdbc.testsupport.JournalTraffic;
import io.delayqueue.jdbc.testsupport.database.DatabaseKind;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.springframework.jdbc.core.JdbcOperations;
import org.springframework.jdbc.core.JdbcTemplate;

/** The journal of an application that has run for a while: every table has many rows, nearly all of one topic. */
final class FilledTables {

    static final String TOPIC = JournalTraffic.TOPIC;

    /** Sender of all rows of the outbox. */
    static final long SENDER = JournalTraffic.OTHER_SENDER;

    /** Tables that grow with messages or, the last one, with topics and instances. */
    private static final List<String> TABLES = List.of("message", "outbox", "event", "inbox", "partition");

    private final DatabaseKind kind;
    private final JdbcOperations jdbc;

    FilledTables(DatabaseKind kind, DataSource dataSource) {
        this.kind = kind;
        this.jdbc = new JdbcTemplate(dataSource);
    }

    /** Only an explicit {@link #analyze} tells the database about the tables' rows. */
    void withoutAutomaticStatistics() {
        String off = kind == DatabaseKind.POSTGRESQL ? " SET (autovacuum_enabled = off)" : " STATS_AUTO_RECALC = 0";
        TABLES.forEach(table -> jdbc.execute("ALTER TABLE delayqueue_" + table + off));
    }

    void analyze() {
        String analyze = kind == DatabaseKind.POSTGRESQL ? "ANALYZE delayqueue_" : "ANALYZE TABLE delayqueue_";
        TABLES.forEach(table -> jdbc.execute(analyze + table));
    }

    /**
     * Messages of all states: of a hundred, 90 handled, 5 scheduled, 2 dead, 3 not sent yet, which have a sender. The outbox has
     * as many rows as there are messages, though: an outage may last. Its rows are free in five minutes.
     */
    void fill(int rows) {
        insert(
                "message (topic, id, generation, status, attempts, priority, duplicates, due, due_is_instant, created, updated,"
                        + " finished, business_key, headers, payload)",
                "'" + TOPIC + "', " + text("'old-', n")
                        + ", 'g0000001', CASE WHEN n % 100 < 90 THEN 'ACKED' WHEN n % 100 < 95"
                        + " THEN 'SCHEDULED' WHEN n % 100 < 97 THEN 'DEAD' ELSE 'OUTBOX' END, 1, 4, 'REJECT',"
                        + " 1700000000000000 + n * 1000, 0, 1700000000000000 + n * 1000, 1700000000000000 + n * 1000,"
                        + " CASE WHEN n % 100 < 90 THEN 4700000000000000 + n * 1000 END, " + text("'key-', n")
                        + ", '{}', "
                        + (kind == DatabaseKind.POSTGRESQL ? "'\\x2a'::bytea" : "x'2a'"),
                rows);
        insert(
                "event (topic, id, event_time, sequence_no, generation, from_status, to_status, began, attempt, instance)",
                "'" + TOPIC + "', " + text("'old-', n")
                        + ", 4700000000000000 + n * 1000, n, 'g0000001', 'IN_FLIGHT', 'ACKED',"
                        + " 4700000000000000 + n * 1000, 1, 'host-1'",
                rows);
        insert(
                "inbox (topic, id, generation, listener, handled)",
                "'" + TOPIC + "', " + text("'old-', n") + ", 'g0000001', 'orders', 4700000000000000 + n * 1000",
                rows);
        insert(
                "partition (topic, part, instance, epoch, sent, ended, updated)",
                text("'topic-', n / 10") + ", n % 10, 'host-1', 'e1', n, n, 4700000000000000",
                rows / 10);
        // a later time would be taken for one of a wrong clock
        long free = TimeUnit.MILLISECONDS.toMicros(System.currentTimeMillis()) + TimeUnit.MINUTES.toMicros(5);
        insert(
                "outbox (topic, id, generation, operations, changes, sender, send_at, created, failures)",
                "'" + TOPIC + "', " + text("'old-', n") + ", 'g0000001', 'Sg0000001;', 1, " + SENDER + ", " + free
                        + " + n, 4700000000000000, 0",
                rows);
    }

    private String text(String parts) {
        return kind == DatabaseKind.POSTGRESQL
                ? "concat(" + parts + ")"
                : "CONCAT(" + parts.replace("n / 10", "n DIV 10") + ")";
    }

    /** In an order that is none of an index; in MariaDB, whose tables are kept by their primary key, that would take very long. */
    private void insert(String tableAndColumns, String values, int rows) {
        String numbers = kind == DatabaseKind.POSTGRESQL
                ? " FROM (SELECT (i * 7919) % " + rows + " AS n FROM generate_series(0::BIGINT, " + (rows - 1)
                        + ") AS i) AS numbers"
                : " FROM (SELECT a.i + 1000 * b.i AS n FROM " + numbersTo(Math.min(rows, 1000)) + " AS a, "
                        + numbersTo(Math.max(1, rows / 1000)) + " AS b) AS numbers";
        jdbc.update("INSERT INTO delayqueue_" + tableAndColumns + " SELECT " + values + numbers);
    }

    private static String numbersTo(int count) {
        return "(WITH RECURSIVE s AS (SELECT 0 AS i UNION ALL SELECT i + 1 FROM s WHERE i < " + (count - 1)
                + ") SELECT i FROM s)";
    }
}
