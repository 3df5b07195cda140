package io.delayqueue.jdbc.schema;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.jdbc.support.JournalTables;
import io.delayqueue.jdbc.testsupport.database.EachDatabase;
import io.delayqueue.jdbc.testsupport.database.TestDatabase;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import javax.sql.DataSource;
import org.springframework.boot.sql.init.DatabaseInitializationMode;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.JdbcUtils;
import org.springframework.jdbc.support.MetaDataAccessException;

/**
 * Instances of the version before write to the tables of this one while an application is rolled out. The scripts of released versions are
 * kept among the tests' resources as they were: a new version adds its own there, and changes none.
 */
class ReleasedSchemasTests {

    private static final String RELEASED = "classpath:io/delayqueue/jdbc/schema/released/schema-%d-@@platform@@.sql";
    private static final String OLD = "released_";
    private static final String NEW = JournalTables.DEFAULT_PREFIX;

    private record Column(String type, int size, boolean optional) {}

    @EachDatabase
    void instancesOfReleasedVersionsCanWriteToTheTables(TestDatabase database) throws Exception {
        DataSource dataSource = database.withSchema().dataSource();
        for (int version = 1; version <= JournalSchema.VERSION; version++) {
            String prefix = OLD + version + "_";
            createReleased(dataSource, version, prefix);
            assertThat(new JournalSchema(dataSource, new JournalTables(prefix)).version())
                    .hasValue(version);

            assertThat(problems(dataSource, prefix)).isEmpty();
        }
    }

    @EachDatabase
    void changesThatOlderInstancesDoNotKnowAreFound(TestDatabase database) throws Exception {
        DataSource dataSource = database.withSchema().dataSource();
        createReleased(dataSource, 1, OLD);
        JdbcClient jdbc = JdbcClient.create(dataSource);

        jdbc.sql("ALTER TABLE delayqueue_outbox ADD COLUMN later VARCHAR(20)").update();
        jdbc.sql("ALTER TABLE delayqueue_event ADD COLUMN later INTEGER DEFAULT 0 NOT NULL")
                .update();
        assertThat(problems(dataSource, OLD)).isEmpty();

        jdbc.sql("ALTER TABLE delayqueue_outbox ADD COLUMN needed VARCHAR(20) NOT NULL")
                .update();
        jdbc.sql("ALTER TABLE delayqueue_lease DROP COLUMN state").update();
        assertThat(problems(dataSource, OLD))
                .containsExactlyInAnyOrder("outbox.needed has to be given", "lease.state is not as it was");
    }

    private static void createReleased(DataSource dataSource, int version, String prefix) {
        new JournalSchemaInitializer(
                        dataSource,
                        String.format(Locale.ROOT, RELEASED, version),
                        "",
                        DatabaseInitializationMode.ALWAYS,
                        new JournalTables(prefix))
                .initializeDatabase();
    }

    /** Columns that an instance could not write if it knew the tables of a prefix only. */
    private static List<String> problems(DataSource dataSource, String prefix) throws MetaDataAccessException {
        Map<String, Column> before = columns(dataSource, prefix);
        Map<String, Column> now = columns(dataSource, NEW);
        assertThat(before).hasSizeGreaterThan(40);
        List<String> problems = new ArrayList<>();
        before.forEach((name, column) -> {
            if (!column.equals(now.get(name))) {
                problems.add(name + " is not as it was");
            }
        });
        now.forEach((name, column) -> {
            if (!before.containsKey(name) && !column.optional()) {
                problems.add(name + " has to be given");
            }
        });
        return problems;
    }

    private static Map<String, Column> columns(DataSource dataSource, String prefix) throws MetaDataAccessException {
        return JdbcUtils.extractDatabaseMetaData(dataSource, metaData -> columns(metaData, prefix));
    }

    private static Map<String, Column> columns(DatabaseMetaData metaData, String prefix) throws SQLException {
        Map<String, Column> columns = new TreeMap<>();
        try (ResultSet rows = metaData.getColumns(
                metaData.getConnection().getCatalog(), metaData.getConnection().getSchema(), "%", "%")) {
            while (rows.next()) {
                String table = rows.getString("TABLE_NAME").toLowerCase(Locale.ROOT);
                if (table.startsWith(prefix)) {
                    boolean optional = rows.getInt("NULLABLE") == DatabaseMetaData.columnNullable
                            || rows.getString("COLUMN_DEF") != null;
                    columns.put(
                            table.substring(prefix.length()) + "."
                                    + rows.getString("COLUMN_NAME").toLowerCase(Locale.ROOT),
                            new Column(rows.getString("TYPE_NAME"), rows.getInt("COLUMN_SIZE"), optional));
                }
            }
        }
        return columns;
    }
}
