package io.delayqueue.jdbc.schema;

import static io.delayqueue.jdbc.schema.MigratedApplication.assertWrites;
import static io.delayqueue.jdbc.schema.MigratedApplication.schemaFile;
import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.jdbc.dialect.Dialect;
import io.delayqueue.jdbc.testsupport.database.DatabaseKind;
import io.delayqueue.jdbc.testsupport.database.EachDatabase;
import io.delayqueue.jdbc.testsupport.database.Everyday;
import io.delayqueue.jdbc.testsupport.database.TestDatabase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.flyway.autoconfigure.FlywayAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Applications that keep their own tables by Flyway, and the journal's by it or beside it. */
@Everyday(DatabaseKind.H2)
@Tag("slow")
class FlywayTests {

    @TempDir
    Path migrations;

    private ApplicationContextRunner application(DataSource dataSource) {
        return MigratedApplication.of(dataSource, FlywayAutoConfiguration.class)
                .withPropertyValues("spring.flyway.locations=filesystem:" + migrations);
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

    private void migration(String name, String sql) throws IOException {
        Files.writeString(migrations.resolve(name), sql);
    }

    private static long migrated(DataSource dataSource) {
        // Flyway quotes its names
        String from = Dialect.of(dataSource).platform().equals("h2")
                ? "\"flyway_schema_history\" WHERE \"success\" AND \"version\" IS NOT NULL"
                : "flyway_schema_history WHERE success = TRUE AND version IS NOT NULL";
        return MigratedApplication.rows(dataSource, from);
    }
}
