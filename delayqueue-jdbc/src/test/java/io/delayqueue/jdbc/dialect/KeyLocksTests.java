package io.delayqueue.jdbc.dialect;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.jdbc.support.JournalTransaction;
import io.delayqueue.jdbc.testsupport.database.DatabaseKind;
import io.delayqueue.jdbc.testsupport.database.EachDatabase;
import io.delayqueue.jdbc.testsupport.database.Everyday;
import io.delayqueue.jdbc.testsupport.database.TestDatabase;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Statements on rows by their keys wait for no transaction that holds another row of the topic, even if the topic has hardly others. */
@Everyday(DatabaseKind.MARIADB)
class KeyLocksTests {

    private static final String TOPIC = "orders";

    /** Rows of the topic, of which one is held by somebody else and all others are looked for. */
    private static final List<Integer> SIZES = List.of(2, 10, 250);

    @EachDatabase
    void deletionByIds(TestDatabase database) throws Exception {
        forEachSize(
                database,
                "delayqueue_outbox",
                (dialect, ids) -> dialect.deleteByIds("delayqueue_outbox", TOPIC, ids).stream()
                        .map(deletion -> new Condition(deletion.sql(), deletion.parameters()))
                        .toList());
    }

    @EachDatabase
    void changeByIds(TestDatabase database) throws Exception {
        forEachSize(
                database,
                "delayqueue_outbox",
                (dialect, ids) -> byIds(
                        dialect,
                        "UPDATE delayqueue_outbox" + dialect.byIndex("PRIMARY") + " SET failures = 1 WHERE ",
                        ids,
                        ""));
    }

    @EachDatabase
    void lockByIds(TestDatabase database) throws Exception {
        forEachSize(
                database,
                "delayqueue_outbox",
                (dialect, ids) -> byIds(
                        dialect,
                        "SELECT operations FROM delayqueue_outbox" + dialect.byIndex("PRIMARY") + " WHERE ",
                        ids,
                        dialect.forUpdateAfterOthers()));
    }

    @EachDatabase
    void changeByGenerations(TestDatabase database) throws Exception {
        forEachSize(
                database,
                "delayqueue_message",
                (dialect, ids) -> withEnd(
                        dialect.byGenerations(
                                "delayqueue_message",
                                TOPIC,
                                ids,
                                ids.stream().map(KeyLocksTests::generation).toList()),
                        "UPDATE delayqueue_message" + dialect.byIndex("PRIMARY") + " SET attempts = 1 WHERE ",
                        ""));
    }

    private static List<Condition> byIds(Dialect dialect, String begin, List<String> ids, String end) {
        return withEnd(dialect.byIds(TOPIC, ids), begin, end);
    }

    private static List<Condition> withEnd(List<Condition> conditions, String begin, String end) {
        return conditions.stream()
                .map(condition -> new Condition(begin + condition.sql() + end, condition.parameters()))
                .toList();
    }

    private static void forEachSize(
            TestDatabase database, String table, BiFunction<Dialect, List<String>, List<Condition>> statements)
            throws Exception {
        DataSource dataSource = database.withSchema().dataSource();
        Dialect dialect = Dialect.of(dataSource);
        for (int size : SIZES) {
            fill(dataSource, dialect, table, size);
            List<String> ids = new ArrayList<>(ids(size));
            ids.remove(size / 2);
            try (Connection other = DriverManager.getConnection(database.url());
                    PreparedStatement lock = other.prepareStatement(
                            "SELECT id FROM " + table + " WHERE topic = ? AND id = ? FOR UPDATE")) {
                other.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
                other.setAutoCommit(false);
                lock.setObject(1, dialect.name(TOPIC));
                lock.setObject(2, dialect.name("m" + size / 2));
                assertThat(lock.executeQuery().next()).isTrue();
                assertThat(changedWithoutWaiting(dataSource, dialect, statements.apply(dialect, ids)))
                        .as("%s of %s rows", size - 1, size)
                        .isEqualTo(size - 1);
                other.rollback();
            }
        }
    }

    private static int changedWithoutWaiting(DataSource dataSource, Dialect dialect, List<Condition> statements)
            throws Exception {
        JdbcClient jdbc = JdbcClient.create(dataSource);
        ExecutorService thread = Executors.newSingleThreadExecutor();
        try {
            Future<Integer> changed = thread.submit(() -> new JournalTransaction(dataSource, dialect)
                    .execute(() -> statements.stream()
                            .mapToInt(statement -> {
                                JdbcClient.StatementSpec spec =
                                        jdbc.sql(statement.sql()).params(statement.parameters());
                                return statement.sql().startsWith("SELECT")
                                        ? spec.query().listOfRows().size()
                                        : spec.update();
                            })
                            .sum()));
            return changed.get(30, TimeUnit.SECONDS);
        } finally {
            thread.shutdownNow();
        }
    }

    private static void fill(DataSource dataSource, Dialect dialect, String table, int size) {
        JdbcTemplate jdbc = new JdbcTemplate(dataSource);
        jdbc.update("DELETE FROM " + table);
        boolean outbox = table.endsWith("outbox");
        jdbc.batchUpdate(
                "INSERT INTO " + table
                        + (outbox
                                ? " (topic, id, operations, changes, sender, send_at, created, failures) VALUES (?, ?, ?, 1, 0, 0, 0, 0)"
                                : " (topic, id, generation, status, attempts, priority, duplicates, due, due_is_instant, created,"
                                        + " updated, headers, payload) VALUES (?, ?, ?, 'SCHEDULED', 0, 4, 'REJECT', 0, 0, 0, 0, '{}', ?)"),
                ids(size).stream()
                        .map(id -> outbox
                                ? new Object[] {dialect.name(TOPIC), dialect.name(id), generation(id)}
                                : new Object[] {dialect.name(TOPIC), dialect.name(id), generation(id), new byte[1]})
                        .toList());
    }

    private static List<String> ids(int size) {
        return IntStream.range(0, size).mapToObj(i -> "m" + i).toList();
    }

    private static String generation(String id) {
        return String.format(Locale.ROOT, "g%7s", id).replace(' ', '0');
    }
}
