package io.delayqueue.jdbc.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.jdbc.database.DatabaseKind;
import io.delayqueue.jdbc.database.EachDatabase;
import io.delayqueue.jdbc.database.TestDatabase;
import io.delayqueue.test.EmbeddedRedis;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;

/**
 * The statements for Oracle are those of a file that people have read: no test runs them on an Oracle server. With
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
        OracleStatements statements = new OracleStatements(database.withSchema().dataSource());
        try (EmbeddedRedis redis = EmbeddedRedis.start()) {
            JournalApplication.on(statements.dataSource(), redis.uri())
                    .withPropertyValues("delayqueue.journal.initialize-schema=never")
                    .run(context -> new JournalTraffic(context, database.dataSource()).run());
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
}
