package io.delayqueue.jdbc.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.delayqueue.jdbc.support.JournalTables;
import io.delayqueue.jdbc.testsupport.JournalApplication;
import io.delayqueue.jdbc.testsupport.JournalTraffic;
import io.delayqueue.jdbc.testsupport.database.DatabaseKind;
import io.delayqueue.jdbc.testsupport.database.EachDatabase;
import io.delayqueue.jdbc.testsupport.database.TestDatabase;
import io.delayqueue.test.EmbeddedRedis;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.springframework.jdbc.core.simple.JdbcClient;

/** While an application is rolled out, instances of two versions share the tables. */
@Tag("slow")
class NewerSchemaTests {

    /** Each table with its first column. */
    private static final Map<String, String> TABLES = Map.of(
            "message", "topic",
            "outbox", "topic",
            "event", "topic",
            "inbox", "topic",
            "partition", "topic",
            "lease", "name",
            "schema", "version");

    @EachDatabase({DatabaseKind.POSTGRESQL, DatabaseKind.MARIADB})
    void thisVersionRunsBesideALaterOne(TestDatabase database) {
        DataSource dataSource = database.withSchema().dataSource();
        makeLater(database.kind(), JdbcClient.create(dataSource));

        try (EmbeddedRedis redis = EmbeddedRedis.start()) {
            JournalApplication.withQuickRestoresOn(dataSource, redis.uri())
                    .withPropertyValues("delayqueue.journal.initialize-schema=always")
                    .run(context -> {
                        assertThat(context).hasNotFailed();
                        new JournalTraffic(context, dataSource).run();
                    });
        }

        assertThat(new JournalSchema(dataSource, new JournalTables("delayqueue_")).version())
                .hasValue(JournalSchema.VERSION + 1);
    }

    /** Later versions add tables, indexes, and columns that may be null; the columns are the first ones where that is possible. */
    private static void makeLater(DatabaseKind kind, JdbcClient jdbc) {
        TABLES.forEach((table, first) -> jdbc.sql("ALTER TABLE delayqueue_" + table + " ADD COLUMN later VARCHAR(20)"
                        + switch (kind) {
                            case H2 -> " BEFORE " + first;
                            case MARIADB, MYSQL -> " FIRST";
                            case POSTGRESQL -> "";
                        })
                .update());
        jdbc.sql("CREATE INDEX delayqueue_outbox_later ON delayqueue_outbox (later)")
                .update();
        jdbc.sql("CREATE TABLE delayqueue_later (id INTEGER PRIMARY KEY)").update();
        jdbc.sql("INSERT INTO delayqueue_schema (version) VALUES (" + (JournalSchema.VERSION + 1) + ")")
                .update();
    }

    @EachDatabase
    void olderTablesAreRefused(TestDatabase database) {
        DataSource dataSource = database.withSchema().dataSource();
        JdbcClient.create(dataSource)
                .sql("UPDATE delayqueue_schema SET version = 0")
                .update();

        assertThatExceptionOfType(JournalSchemaException.class)
                .isThrownBy(new JournalSchema(dataSource, new JournalTables("delayqueue_"))::requireVersion)
                .withMessageContaining("have version 0")
                .withMessageContaining("delayqueue_schema")
                .withMessageContaining("version " + JournalSchema.VERSION + " is needed");
        for (String mode : List.of("never", "always")) {
            JournalApplication.on(dataSource, "redis://127.0.0.1:1")
                    .withPropertyValues("delayqueue.journal.initialize-schema=" + mode)
                    .run(context ->
                            assertThat(context).getFailure().rootCause().isInstanceOf(JournalSchemaException.class));
        }
    }
}
