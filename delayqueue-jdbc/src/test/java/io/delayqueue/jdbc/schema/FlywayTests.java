package io.delayqueue.jdbc.schema;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.jdbc.JournalTables;
import io.delayqueue.jdbc.autoconfigure.JournalAutoConfiguration;
import io.delayqueue.jdbc.autoconfigure.JournalSchemaAutoConfiguration;
import io.delayqueue.jdbc.database.DatabaseKind;
import io.delayqueue.jdbc.database.EachDatabase;
import io.delayqueue.jdbc.database.Everyday;
import io.delayqueue.jdbc.database.TestDatabase;
import io.delayqueue.jdbc.dialect.Dialect;
import io.delayqueue.jdbc.outbox.HandOver;
import io.delayqueue.spring.DelayQueueOperations;
import io.delayqueue.spring.autoconfigure.DelayQueueAutoConfiguration;
import io.delayqueue.spring.autoconfigure.DelayQueueJacksonAutoConfiguration;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import javax.sql.DataSource;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.flyway.autoconfigure.FlywayAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** Applications that keep their own tables by Flyway, and the journal's by it or beside it. */
@Everyday(DatabaseKind.H2)
class FlywayTests {

    @TempDir
    Path migrations;

    /** No test connects to Redis. */
    private ApplicationContextRunner application(DataSource dataSource) {
        return new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        FlywayAutoConfiguration.class,
                        DataSourceTransactionManagerAutoConfiguration.class,
                        TransactionAutoConfiguration.class,
                        DataRedisAutoConfiguration.class,
                        JacksonAutoConfiguration.class,
                        DelayQueueJacksonAutoConfiguration.class,
                        DelayQueueAutoConfiguration.class,
                        JournalSchemaAutoConfiguration.class,
                        JournalAutoConfiguration.class))
                // the context would close a pool of its own
                .withBean("dataSource", DataSource.class, () -> new DelegatingDataSource(dataSource))
                .withBean(
                        HandOver.class,
                        () -> changes ->
                                changes.forEach(change -> change.answer().complete(Optional.empty())))
                .withPropertyValues("spring.data.redis.port=1", "spring.flyway.locations=filesystem:" + migrations);
    }

    @EachDatabase
    void theSchemaFileIsAMigrationWithAPrefix(TestDatabase database) throws IOException {
        migration("V1__orders.sql", "CREATE TABLE orders (id INTEGER PRIMARY KEY);");
        migration("V2__journal.sql", schemaFile(database).replace("delayqueue_", "shop_"));
        DataSource dataSource = database.dataSource();

        application(dataSource)
                .withPropertyValues(
                        "delayqueue.journal.table-prefix=shop_", "delayqueue.journal.initialize-schema=never")
                .run(context -> {
                    assertThat(migrated(dataSource)).isEqualTo(2);
                    assertWrites(context, dataSource, "shop_");
                });
    }

    /** Flyway refuses to begin in a schema that has tables already. */
    @EachDatabase
    void theInitializerComesBehindFlyway(TestDatabase database) throws IOException {
        migration("V1__orders.sql", "CREATE TABLE orders (id INTEGER PRIMARY KEY);");
        DataSource dataSource = database.dataSource();
        ApplicationContextRunner application =
                application(dataSource).withPropertyValues("delayqueue.journal.initialize-schema=always");

        application.run(context -> {
            assertThat(migrated(dataSource)).isEqualTo(1);
            assertWrites(context, dataSource, "delayqueue_");
        });

        migration("V2__customers.sql", "CREATE TABLE customers (id INTEGER PRIMARY KEY);");
        application.run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(migrated(dataSource)).isEqualTo(2);
        });
    }

    private static void assertWrites(AssertableApplicationContext context, DataSource dataSource, String prefix) {
        assertThat(context).hasNotFailed();
        JournalSchema schema = new JournalSchema(dataSource, new JournalTables(prefix));
        assertThat(schema.version()).hasValue(JournalSchema.VERSION);
        context.getBean(DelayQueueOperations.class).schedule("orders", "A-17", Duration.ofHours(1));
        assertThat(rows(dataSource, prefix + "outbox")).isEqualTo(1);
    }

    private void migration(String name, String sql) throws IOException {
        Files.writeString(migrations.resolve(name), sql);
    }

    private static String schemaFile(TestDatabase database) throws IOException {
        return new ClassPathResource(
                        "io/delayqueue/jdbc/schema-" + database.kind().platform() + ".sql")
                .getContentAsString(StandardCharsets.UTF_8);
    }

    private static long migrated(DataSource dataSource) {
        return rows(dataSource, "flyway_schema_history WHERE success = TRUE AND version IS NOT NULL");
    }

    private static long rows(DataSource dataSource, String from) {
        // Flyway quotes its names
        String table = from.startsWith("flyway") && isH2(dataSource)
                ? from.replace("flyway_schema_history", "\"flyway_schema_history\"")
                        .replace("success", "\"success\"")
                        .replace("version", "\"version\"")
                : from;
        return JdbcClient.create(dataSource)
                .sql("SELECT COUNT(*) FROM " + table)
                .query(Long.class)
                .single();
    }

    private static boolean isH2(DataSource dataSource) {
        return Dialect.of(dataSource).platform().equals("h2");
    }
}
