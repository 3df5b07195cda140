package io.delayqueue.jdbc.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.delayqueue.jdbc.dialect.Dialect;
import io.delayqueue.jdbc.support.JournalTables;
import io.delayqueue.jdbc.testsupport.database.DatabaseKind;
import io.delayqueue.jdbc.testsupport.database.EachDatabase;
import io.delayqueue.jdbc.testsupport.database.Everyday;
import io.delayqueue.jdbc.testsupport.database.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.OptionalInt;
import java.util.UUID;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.boot.sql.init.DatabaseInitializationMode;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

@Everyday(DatabaseKind.MARIADB)
class SchemaTests {

    @EachDatabase
    void createsTheTablesAndRecordsTheirVersion(TestDatabase database) {
        database.withSchema();

        assertThat(version(database, "delayqueue_")).hasValue(JournalSchema.VERSION);
        assertThat(rows(database.dataSource(), "delayqueue_message")).isZero();
    }

    @EachDatabase
    void leavesTablesAloneThatAreThere(TestDatabase database) {
        database.withSchema();
        insertMessage(database, "a");

        database.withSchema();

        assertThat(rows(database.dataSource(), "delayqueue_message")).isEqualTo(1);
    }

    @EachDatabase
    void instancesThatStartTogetherCreateThemOnce(TestDatabase database) {
        DataSource dataSource = database.dataSource();

        IntStream.range(0, 8)
                .parallel()
                .forEach(
                        i -> TestDatabase.initializer(dataSource, "delayqueue_").initializeDatabase());

        assertThat(version(database, "delayqueue_")).hasValue(JournalSchema.VERSION);
        assertThat(rows(dataSource, "delayqueue_schema")).isEqualTo(1);
    }

    @EachDatabase
    void twoJournalsWithPrefixesShareADatabase(TestDatabase database) {
        database.withSchema("shop_").withSchema("billing_");

        assertThat(version(database, "shop_")).hasValue(JournalSchema.VERSION);
        assertThat(version(database, "billing_")).hasValue(JournalSchema.VERSION);
        assertThat(version(database, "delayqueue_")).isEmpty();
    }

    /** To JDBC, schemas of MySQL and MariaDB are catalogues, and the connection is in another one. */
    @EachDatabase
    void tablesMayHaveASchemaOfTheirOwn(TestDatabase database) {
        DataSource dataSource = database.dataSource();
        String schema = "jobs_" + UUID.randomUUID().toString().substring(0, 8);
        JdbcClient jdbc = JdbcClient.create(dataSource);
        jdbc.sql("CREATE SCHEMA " + schema).update();
        try {
            String prefix = schema + ".delayqueue_";
            assertThat(version(database, prefix)).isEmpty();

            database.withSchema(prefix).withSchema(prefix);

            assertThat(version(database, prefix)).hasValue(JournalSchema.VERSION);
            assertThat(version(database, "delayqueue_")).isEmpty();
            assertThat(rows(dataSource, schema + ".delayqueue_message")).isZero();
        } finally {
            boolean hasCatalogs =
                    List.of(DatabaseKind.MARIADB, DatabaseKind.MYSQL).contains(database.kind());
            jdbc.sql("DROP SCHEMA " + schema + (hasCatalogs ? "" : " CASCADE")).update();
        }
    }

    @EachDatabase(DatabaseKind.H2)
    void aScriptThatRecordsNoVersionFailsTheStartAtOnce(TestDatabase database) {
        JournalSchemaInitializer initializer = new JournalSchemaInitializer(
                database.dataSource(),
                "classpath:io/delayqueue/jdbc/schema/without-version.sql",
                "",
                DatabaseInitializationMode.ALWAYS,
                new JournalTables("delayqueue_"));

        assertThatExceptionOfType(JournalSchemaException.class)
                .isThrownBy(initializer::initializeDatabase)
                .withMessageContaining("without-version.sql")
                .withMessageContaining("delayqueue_schema")
                .satisfies(e -> assertThat(e.action()).contains("delayqueue.journal.schema"));
    }

    @EachDatabase
    void missingTablesAreNamed(TestDatabase database) {
        JournalSchema schema = new JournalSchema(database.dataSource(), new JournalTables("delayqueue_"));

        assertThatExceptionOfType(JournalSchemaException.class)
                .isThrownBy(schema::requireVersion)
                .withMessageContaining("delayqueue_message");
    }

    @EachDatabase
    void idsThatDifferInCaseAccentsOrTrailingBlanksAreDifferent(TestDatabase database) {
        database.withSchema();
        List<String> ids = List.of("order-é", "order-e", "order-E", "order-e ", "order-e\t", "订单", "🛒");

        ids.forEach(id -> insertMessage(database, id));

        assertThat(rows(database.dataSource(), "delayqueue_message")).isEqualTo(ids.size());
        assertThat(ids).allSatisfy(id -> assertThat(ofId(database, id)).isEqualTo(id));
    }

    @EachDatabase
    void theLongestNamesAndLargePayloadsFit(TestDatabase database) {
        database.withSchema();
        String topic = "主".repeat(200);
        String id = "i".repeat(512);
        byte[] payload = new byte[200_000];
        payload[199_999] = 42;

        insertMessage(database, topic, id, payload);

        assertThat(JdbcClient.create(database.dataSource())
                        .sql("SELECT payload FROM delayqueue_message")
                        .query((row, number) -> row.getBytes(1))
                        .single())
                .isEqualTo(payload);
    }

    @EachDatabase
    void theClockOfTheDatabaseMovesInsideATransactionAndHasNoTimeZone(TestDatabase database) {
        DataSource dataSource = database.withSchema().dataSource(pool -> pool.setAutoCommit(false));
        String sql = "SELECT " + Dialect.of(dataSource).nowMicros();
        JdbcClient jdbc = JdbcClient.create(new SingleConnectionDataSource(connection(dataSource), true));

        long first = jdbc.sql(sql).query(Long.class).single();
        long last = first;
        for (int i = 0; i < 10_000 && last == first; i++) {
            last = jdbc.sql(sql).query(Long.class).single();
        }

        assertThat(last).isGreaterThan(first);
        assertThat(Math.abs(last - System.currentTimeMillis() * 1000)).isLessThan(60_000_000L);
    }

    @Test
    void refusesPrefixesThatAreNoNames() {
        assertThat(List.of("shop_", "app.delayqueue_", "Q"))
                .allSatisfy(
                        prefix -> assertThat(new JournalTables(prefix).outbox()).isEqualTo(prefix + "outbox"));
        assertThat(List.of("", "shop-", "a.b.c_", "x; drop table t", "1_", "q".repeat(33)))
                .allSatisfy(prefix -> assertThatExceptionOfType(IllegalArgumentException.class)
                        .isThrownBy(() -> new JournalTables(prefix)));
    }

    private static Connection connection(DataSource dataSource) {
        try {
            return dataSource.getConnection();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private static OptionalInt version(TestDatabase database, String prefix) {
        return new JournalSchema(database.dataSource(), new JournalTables(prefix)).version();
    }

    private static long rows(DataSource dataSource, String table) {
        return JdbcClient.create(dataSource)
                .sql("SELECT COUNT(*) FROM " + table)
                .query(Long.class)
                .single();
    }

    private static void insertMessage(TestDatabase database, String id) {
        insertMessage(database, "orders", id, new byte[] {1});
    }

    private static void insertMessage(TestDatabase database, String topic, String id, byte[] payload) {
        DataSource dataSource = database.dataSource();
        Dialect dialect = Dialect.of(dataSource);
        JdbcClient.create(dataSource)
                .sql(
                        "INSERT INTO delayqueue_message (topic, id, generation, status, attempts, priority, duplicates, due,"
                                + " due_is_instant, created, updated, payload)"
                                + " VALUES (?, ?, 'g0000001', 'SCHEDULED', 0, 4, 'REJECT', 1, 0, 1,"
                                + " 1, ?)")
                .params(dialect.name(topic), dialect.name(id), payload)
                .update();
    }

    private static String ofId(TestDatabase database, String id) {
        DataSource dataSource = database.dataSource();
        Dialect dialect = Dialect.of(dataSource);
        return JdbcClient.create(dataSource)
                .sql("SELECT id FROM delayqueue_message WHERE topic = ? AND id = ?")
                .params(dialect.name("orders"), dialect.name(id))
                .query((row, number) -> dialect.name(row, "id"))
                .single();
    }
}
