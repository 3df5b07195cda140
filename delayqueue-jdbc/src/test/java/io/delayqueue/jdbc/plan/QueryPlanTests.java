package io.delayqueue.jdbc.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.jdbc.testsupport.JournalApplication;
import io.delayqueue.jdbc.testsupport.JournalTraffic;
import io.delayqueue.jdbc.testsupport.database.DatabaseKind;
import io.delayqueue.jdbc.testsupport.database.EachDatabase;
import io.delayqueue.jdbc.testsupport.database.TestDatabase;
import io.delayqueue.test.EmbeddedRedis;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * Every statement of the journal reads few rows of large tables, by an index, whatever the database knows of them. The statements are
 * those that an application's journal runs, recorded on their way to the database.
 */
@Tag("slow")
class QueryPlanTests {

    private static final int FEW_ROWS = 10;
    private static final int ROWS = 20_000;
    private static final int MANY_ROWS = 1_000_000;

    /** A part of a statement of each step, which no other step runs as far as there is one. */
    private static final Map<String, String> STATEMENTS = Map.ofEntries(
            Map.entry("write", "INSERT INTO delayqueue_message"),
            Map.entry("relay", "SET sender = ?, send_at = ?"),
            Map.entry("stop of a relay", "AND send_at > ? AND sender = ?"),
            Map.entry("record", "SET updated = "),
            Map.entry("reschedule", "status = CASE status WHEN 'DEAD'"),
            Map.entry("block", "SET failures = ?, send_at = ?"),
            Map.entry("audit", "INSERT INTO delayqueue_event"),
            Map.entry("story", "instance, error FROM delayqueue_event"),
            Map.entry("search", "business_key = ?"),
            Map.entry("inbox", "INTO delayqueue_inbox"),
            Map.entry("marks", "INSERT INTO delayqueue_partition"),
            Map.entry("restore", "due_is_instant, created, updated, state_time, finished FROM"),
            Map.entry("restore of a dead letter", "SET status = 'SCHEDULED', finished = NULL"),
            Map.entry("refill that goes on", "SET ended = ? WHERE"),
            Map.entry("dead letter that nobody recorded", "SET status = 'DEAD', finished = "),
            Map.entry("comparison of due times", "SET due = ? WHERE"),
            Map.entry("comparison of ends", "SET status = 'UNRECORDED'"),
            Map.entry("retention", "SELECT r.finished FROM"),
            Map.entry("leases", "UPDATE delayqueue_lease"),
            Map.entry("gauges", "SELECT created FROM delayqueue_outbox"));

    private static EmbeddedRedis redis;

    @BeforeAll
    static void startRedis() {
        redis = EmbeddedRedis.start();
    }

    @AfterAll
    static void stopRedis() {
        redis.close();
    }

    @EachDatabase({DatabaseKind.POSTGRESQL, DatabaseKind.MARIADB, DatabaseKind.MYSQL})
    void tablesThatWereNeverAnalyzed(TestDatabase database) {
        FilledTables tables = tables(database);
        tables.fill(ROWS);

        assertUsesIndexes(database);
    }

    @EachDatabase({DatabaseKind.POSTGRESQL, DatabaseKind.MARIADB, DatabaseKind.MYSQL})
    void tablesThatWereAnalyzedWhenEmpty(TestDatabase database) {
        FilledTables tables = tables(database);
        tables.analyze();
        tables.fill(ROWS);

        assertUsesIndexes(database);
    }

    /** PostgreSQL keeps a plan while a table grows. MariaDB locks all rows of a table that it scans for an update. */
    @EachDatabase({DatabaseKind.POSTGRESQL, DatabaseKind.MARIADB, DatabaseKind.MYSQL})
    void tablesWithFewRows(TestDatabase database) {
        FilledTables tables = tables(database);
        tables.fill(FEW_ROWS);
        tables.analyze();

        assertThat(problems(database))
                // runs in the handler's transaction, whose own plans are not the journal's to change
                .filteredOn(problem -> !problem.startsWith("scans delayqueue_inbox: DELETE"))
                .isEmpty();
    }

    @EachDatabase({DatabaseKind.POSTGRESQL, DatabaseKind.MARIADB, DatabaseKind.MYSQL})
    @Tag("soak")
    @Timeout(value = 15, unit = TimeUnit.MINUTES)
    void aMillionMessages(TestDatabase database) {
        FilledTables tables = tables(database);
        tables.fill(MANY_ROWS);

        assertUsesIndexes(database);

        tables.analyze();
        assertUsesIndexes(database);
    }

    /** A search for an unindexed column is found out, as is one of all rows of a topic. */
    @EachDatabase({DatabaseKind.POSTGRESQL, DatabaseKind.MARIADB, DatabaseKind.MYSQL})
    void otherStatementsAreFoundOut(TestDatabase database) {
        tables(database).fill(ROWS);
        PlanCheck plans = plans(database);
        JdbcClient jdbc = JdbcClient.create(new WatchedDataSource(database.dataSource(), plans));

        jdbc.sql("SELECT id FROM delayqueue_message WHERE reason = ?")
                .param("none")
                .query(String.class)
                .list();
        assertThat(plans.problems()).anyMatch(problem -> problem.startsWith("scans delayqueue_message"));

        plans.problems().clear();
        jdbc.sql("SELECT generation FROM delayqueue_outbox WHERE topic = ? AND id > ? AND error = ?")
                .params("orders", "old-", "none")
                .query(String.class)
                .list();
        assertThat(plans.problems()).isNotEmpty();
    }

    private static FilledTables tables(TestDatabase database) {
        FilledTables tables =
                new FilledTables(database.kind(), database.withSchema().dataSource());
        tables.withoutAutomaticStatistics();
        return tables;
    }

    private static PlanCheck plans(TestDatabase database) {
        return database.kind() == DatabaseKind.POSTGRESQL ? new PostgreSqlPlans() : new MySqlPlans();
    }

    private static void assertUsesIndexes(TestDatabase database) {
        assertThat(problems(database)).isEmpty();
    }

    private static Set<String> problems(TestDatabase database) {
        DataSource dataSource = database.dataSource();
        PlanCheck plans = plans(database);
        JournalApplication.withQuickRestoresOn(new WatchedDataSource(dataSource, plans), redis.uri())
                .run(context -> new JournalTraffic(context, dataSource).run());

        assertThat(STATEMENTS)
                .allSatisfy((step, part) ->
                        assertThat(plans.checked().keySet()).as(step).anyMatch(sql -> sql.contains(part)));
        assertThat(StatementsOfTheCode.notAmong(plans.ran()))
                .as("statements of the code that were not explained")
                .isEmpty();
        return plans.problems();
    }
}
