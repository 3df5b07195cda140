package io.delayqueue.jdbc.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.jdbc.database.DatabaseKind;
import io.delayqueue.jdbc.database.EachDatabase;
import io.delayqueue.jdbc.database.TestDatabase;
import io.delayqueue.test.EmbeddedRedis;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * The statements for Oracle are those of a file that people have read: no test runs them on an Oracle server. With
 * {@code -Dstatements.update} the file is written anew, and its difference is to be reviewed.
 */
class OracleStatementsTests {

    private static final Path REVIEWED = Path.of("src/test/resources/io/delayqueue/jdbc/plan/oracle-statements.sql");

    private static final String HEADER = "-- Statements of the journal on Oracle. NOW stands for the expression of the time.";

    @EachDatabase(DatabaseKind.H2)
    void areThoseThatWereReviewed(TestDatabase database) throws IOException {
        OracleStatements statements = new OracleStatements(database.withSchema().dataSource());
        try (EmbeddedRedis redis = EmbeddedRedis.start()) {
            JournalApplication.on(statements.dataSource(), redis.uri())
                    .withPropertyValues("delayqueue.journal.initialize-schema=never")
                    .run(context -> new JournalTraffic(context, database.dataSource()).run());
        }

        List<String> recorded =
                statements.recorded().stream().map(sql -> sql + ";").toList();
        if (Boolean.getBoolean("statements.update")) {
            Files.writeString(REVIEWED, HEADER + "\n" + String.join("\n", recorded) + "\n");
        }
        assertThat(recorded)
                .isEqualTo(Files.readAllLines(REVIEWED).stream()
                        .filter(line -> !line.startsWith("--"))
                        .toList());
    }
}
