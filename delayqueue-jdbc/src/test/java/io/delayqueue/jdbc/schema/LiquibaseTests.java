package io.delayqueue.jdbc.schema;

import static io.delayqueue.jdbc.schema.MigratedApplication.assertWrites;
import static io.delayqueue.jdbc.schema.MigratedApplication.schemaFile;
import static org.assertj.core.api.Assertions.assertThat;

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
import org.springframework.boot.liquibase.autoconfigure.LiquibaseAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Applications that keep their own tables by Liquibase, and the journal's by it or beside it. */
@Everyday(DatabaseKind.H2)
@Tag("slow")
class LiquibaseTests {

    private static final String CHANGE_LOG = """
            databaseChangeLog:
              - changeSet:
                  id: orders
                  author: shop
                  changes:
                    - createTable:
                        tableName: orders
                        columns:
                          - column: {name: id, type: int}
            """;

    private static final String WITH_JOURNAL = CHANGE_LOG + """
              - changeSet:
                  id: journal
                  author: shop
                  changes:
                    - sqlFile:
                        path: journal.sql
                        relativeToChangelogFile: true
            """;

    @TempDir
    Path changes;

    private ApplicationContextRunner application(DataSource dataSource, String changeLog) throws IOException {
        Path file = Files.writeString(changes.resolve("changelog.yaml"), changeLog);
        return MigratedApplication.of(dataSource, LiquibaseAutoConfiguration.class)
                .withPropertyValues(
                        "spring.liquibase.change-log=file:" + file, "spring.liquibase.analytics-enabled=false");
    }

    @EachDatabase
    void theSchemaFileIsAChangeWithAPrefix(TestDatabase database) throws IOException {
        Files.writeString(changes.resolve("journal.sql"), schemaFile(database).replace("delayqueue_", "shop_"));
        DataSource dataSource = database.dataSource();

        application(dataSource, WITH_JOURNAL)
                .withPropertyValues(
                        "delayqueue.journal.table-prefix=shop_", "delayqueue.journal.initialize-schema=never")
                .run(context -> {
                    assertThat(migrated(dataSource)).isEqualTo(2);
                    assertWrites(context, dataSource, "shop_");
                });
    }

    @EachDatabase
    void theInitializerWorksBesideLiquibase(TestDatabase database) throws IOException {
        DataSource dataSource = database.dataSource();

        application(dataSource, CHANGE_LOG)
                .withPropertyValues("delayqueue.journal.initialize-schema=always")
                .run(context -> {
                    assertThat(migrated(dataSource)).isEqualTo(1);
                    assertWrites(context, dataSource, "delayqueue_");
                });
    }

    private static long migrated(DataSource dataSource) {
        return MigratedApplication.rows(dataSource, "DATABASECHANGELOG");
    }
}
