package io.delayqueue.jdbc.schema;

import io.delayqueue.jdbc.dialect.Dialect;
import io.delayqueue.jdbc.support.JournalTables;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import java.util.OptionalInt;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.JdbcUtils;
import org.springframework.jdbc.support.MetaDataAccessException;

/** The version of the journal's tables, as they record it. */
public final class JournalSchema {

    /** The version that this one needs. Later ones only add tables and columns, so it works with them, too. */
    public static final int VERSION = 1;

    private final DataSource dataSource;
    private final JdbcClient jdbc;
    private final JournalTables tables;

    /** The schema of the tables in a database. */
    public JournalSchema(DataSource dataSource, JournalTables tables) {
        this.dataSource = dataSource;
        this.jdbc = JdbcClient.create(dataSource);
        this.tables = tables;
    }

    /**
     * The version of the tables; empty if there are none.
     *
     * @throws DataAccessException if the database can't be asked
     */
    public OptionalInt version() {
        if (!exists()) {
            return OptionalInt.empty();
        }
        return jdbc.sql("SELECT MAX(version) FROM " + tables.schema())
                .query(Integer.class)
                .optional()
                .map(OptionalInt::of)
                .orElseGet(OptionalInt::empty);
    }

    /** @throws JournalSchemaException if the tables are missing, or of an older version */
    public void requireVersion() {
        OptionalInt version = version();
        if (version.isEmpty() || version.getAsInt() < VERSION) {
            throw new JournalSchemaException(
                    tables, version, Dialect.of(dataSource).platform());
        }
    }

    /** Asks the catalogue: a query of a missing table would be logged as an error by some drivers, and by the server. */
    private boolean exists() {
        String name = tables.schema();
        int dot = name.indexOf('.');
        String schema = dot < 0 ? null : name.substring(0, dot);
        String table = name.substring(dot + 1);
        try {
            return JdbcUtils.extractDatabaseMetaData(dataSource, metaData -> exists(metaData, schema, table));
        } catch (MetaDataAccessException e) {
            throw new DataAccessResourceFailureException("the journal's database can't be asked for its tables", e);
        }
    }

    private static boolean exists(DatabaseMetaData metaData, @Nullable String schema, String table)
            throws SQLException {
        // the schemas of MySQL and MariaDB are catalogues to JDBC
        boolean schemaIsCatalog = schema != null && !metaData.supportsSchemasInTableDefinitions();
        String catalog = schemaIsCatalog ? schema : metaData.getConnection().getCatalog();
        String ofConnection = metaData.getConnection().getSchema();
        // databases keep names in upper case, in lower case, or as they were written
        for (String name : List.of(table, table.toLowerCase(Locale.ROOT), table.toUpperCase(Locale.ROOT))) {
            // a pattern, whose underscores match any character
            try (ResultSet tables = metaData.getTables(catalog, null, name, null)) {
                while (tables.next()) {
                    String owner = tables.getString("TABLE_SCHEM");
                    if (tables.getString("TABLE_NAME").equalsIgnoreCase(table)
                            && isSchema(owner, schema == null ? ofConnection : schema)) {
                        return true;
                    }
                }
            }
        }
        return false;
    }

    /** MySQL and MariaDB know catalogues instead. */
    private static boolean isSchema(@Nullable String owner, @Nullable String wanted) {
        return owner == null || wanted == null || owner.equalsIgnoreCase(wanted);
    }
}
