package io.delayqueue.jdbc.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.jdbc.schema.JournalSchemaInitializer;
import io.delayqueue.jdbc.support.JournalTables;
import io.delayqueue.jdbc.testsupport.JournalApplication;
import io.delayqueue.jdbc.testsupport.JournalTraffic;
import io.delayqueue.jdbc.testsupport.database.DatabaseKind;
import io.delayqueue.jdbc.testsupport.database.EachDatabase;
import io.delayqueue.jdbc.testsupport.database.TestDatabase;
import io.delayqueue.test.EmbeddedRedis;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.springframework.boot.sql.init.DatabaseInitializationMode;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * The statements for Oracle are those of a file that people have read: no test runs them on an Oracle server. Here, H2 runs them, on tables
 * that the script for Oracle created. With
 * {@code -Dstatements.update} the file is written anew, and its difference is to be reviewed.
 */
@Tag("slow")
class OracleStatementsTests {

    private static final Path REVIEWED = Path.of("src/test/resources/io/delayqueue/jdbc/plan/oracle-statements.sql");

    private static final String HEADER =
            "-- Statements of the journal on Oracle. NOW stands for the expression of the time.\n";

    /** Each begins a line. */
    private static final Pattern CLAUSE =
            Pattern.compile(" (USING|ON \\(|WHEN MATCHED|WHEN NOT|VALUES|SET|WHERE|ORDER BY) ?");

    @EachDatabase(DatabaseKind.H2)
    void areThoseThatWereReviewed(TestDatabase database) throws IOException {
        DataSource tables = tablesOfOracle(database);
        OracleStatements statements = new OracleStatements(tables);
        try (EmbeddedRedis redis = EmbeddedRedis.start()) {
            JournalApplication.withQuickRestoresOn(statements.dataSource(), redis.uri())
                    .withPropertyValues("delayqueue.journal.initialize-schema=never")
                    .run(context -> new JournalTraffic(context, tables).run());
        }

        String recorded = HEADER
                + statements.recorded().stream()
                        .map(sql -> "\n" + CLAUSE.matcher(sql).replaceAll("\n    $1 ") + ";\n")
                        .collect(Collectors.joining());
        if (Boolean.getBoolean("statements.update")) {
            Files.writeString(REVIEWED, recorded);
        }
        assertThat(recorded).isEqualTo(Files.readString(REVIEWED));
        // neither do the gauges, which are read again and again
        assertThat(statements.recorded())
                .as("statements that count any number of rows")
                .noneMatch(sql -> sql.contains("COUNT(") && !sql.contains("FETCH FIRST"));
    }

    /** H2 takes Oracle's types in that mode, and runs the script for Oracle. */
    private static DataSource tablesOfOracle(TestDatabase database) {
        DataSource h2 = database.dataSource(pool -> pool.setJdbcUrl(database.url() + ";MODE=Oracle"));
        JdbcClient.create(h2)
                .sql("CREATE ALIAS DELAYQUEUE_NOW FOR 'java.lang.System.currentTimeMillis'")
                .update();
        new JournalSchemaInitializer(
                        h2,
                        JournalSchemaInitializer.DEFAULT_LOCATION,
                        "oracle",
                        DatabaseInitializationMode.ALWAYS,
                        new JournalTables(JournalTables.DEFAULT_PREFIX))
                .initializeDatabase();
        return h2;
    }
}
