package io.delayqueue.jdbc.dialect;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.springframework.boot.jdbc.DatabaseDriver;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.jdbc.core.JdbcOperations;
import org.springframework.jdbc.support.JdbcUtils;
import org.springframework.jdbc.support.MetaDataAccessException;

/** The SQL and the types that differ between databases. */
public interface Dialect {

    /**
     * The dialect of a database.
     *
     * @throws UnsupportedDatabaseException if the journal does not know it
     */
    static Dialect of(DataSource dataSource) {
        DatabaseDriver driver = driver(dataSource);
        return switch (driver) {
            case POSTGRESQL -> new PostgreSqlDialect();
            case MYSQL -> new MySqlDialect();
            case MARIADB -> new MariaDbDialect();
            case ORACLE -> new OracleDialect();
            case H2 -> new H2Dialect();
            default -> throw new UnsupportedDatabaseException(driver);
        };
    }

    private static DatabaseDriver driver(DataSource dataSource) {
        try {
            return JdbcUtils.extractDatabaseMetaData(
                    dataSource,
                    metaData -> DatabaseDriver.fromProductName(
                            // MySQL's driver calls MariaDB by that name, too
                            metaData.getDatabaseProductVersion().contains("MariaDB")
                                    ? "MariaDB"
                                    : metaData.getDatabaseProductName()));
        } catch (MetaDataAccessException e) {
            throw new DataAccessResourceFailureException("the journal's database can't be asked for its kind", e);
        }
    }

    /** Name of the database in {@code schema-<platform>.sql}. */
    String platform();

    /**
     * An expression for the time of the statement by the database's clock, in µs since the epoch, without a time zone. It is the time at
     * which the statement runs, not at which its transaction began.
     */
    String nowMicros();

    /** A topic, id or other name as a parameter of a statement; names are compared by byte. */
    default Object name(String name) {
        return name;
    }

    /** A name from a column that a statement selects. */
    default String name(ResultSet row, String column) throws SQLException {
        return row.getString(column);
    }

    /** Inserts rows by few statements. */
    RowInserter inserter(RowInsert insert);

    /**
     * The same for rows that are hardly ever there, without a look for them if that is cheaper. One that is there is left alone, or fails
     * with a {@link DuplicateKeyException} that spoils the transaction.
     */
    default RowInserter inserterOfNewRows(RowInsert insert) {
        return inserter(insert);
    }

    /**
     * Conditions that together find the rows of a topic's ids by the primary key, whatever the database knows of the table. Each is for
     * a statement of its own, and each id is in one of them.
     */
    default List<Condition> byIds(String topic, List<String> ids) {
        List<Condition> conditions = new ArrayList<>(ids.size());
        for (String id : ids) {
            conditions.add(new Condition("topic = ? AND id = ?", List.of(name(topic), name(id))));
        }
        return conditions;
    }

    /** The same for rows of a table by ids with their generations, one to one. */
    default List<Condition> byGenerations(String table, String topic, List<String> ids, List<String> generations) {
        List<Condition> conditions = new ArrayList<>(ids.size());
        for (int i = 0; i < ids.size(); i++) {
            conditions.add(new Condition(
                    "topic = ? AND id = ? AND generation = ?",
                    List.of(name(topic), name(ids.get(i)), generations.get(i))));
        }
        return conditions;
    }

    /** Statements that together delete the rows of a topic's ids, and lock no other rows. */
    default List<Deletion> deleteByIds(String table, String topic, List<String> ids) {
        return byIds(topic, ids).stream()
                .map(condition ->
                        new Deletion(deleteByKey(table) + " WHERE " + condition.sql(), condition.parameters()))
                .toList();
    }

    /** The end of a query that returns a number of rows at most. */
    default String limit(int rows) {
        return " LIMIT " + rows;
    }

    /** The same for a query that leaves out the first rows. */
    default String limit(int rows, int skipped) {
        return limit(rows) + " OFFSET " + skipped;
    }

    /** Whether a query with a limit and SKIP LOCKED goes on after locked rows. */
    default boolean limitsUnlockedRows() {
        return true;
    }

    /** Follows the name of a table that a query or an UPDATE shall search by this index; empty if the database does so by itself. */
    default String byIndex(String index) {
        return "";
    }

    /**
     * An INSERT of one row that leaves a row with the same key as it is. It inserts nothing then, or fails with a duplicate key in such a
     * way that its transaction can go on.
     *
     * @param row the statement from INTO on
     */
    default String insertIfAbsent(String row) {
        return "INSERT " + row;
    }

    /** The beginning of a DELETE that finds a row of a table by its primary key, up to WHERE. */
    default String deleteByKey(String table) {
        return "DELETE FROM " + table;
    }

    /**
     * A DELETE of a number of rows at most. Its parameters are those of the condition. It locks no row but those that it deletes.
     */
    default String delete(RowDelete rows, int most) {
        return "DELETE FROM " + rows.table() + " r WHERE " + rows.condition() + limit(most);
    }

    /**
     * The end of a query that locks rows, after it has waited for transactions that hold them. It waits for seconds at most, and does not
     * wait where the database can't limit that.
     */
    default String forUpdateAfterOthers() {
        return " FOR UPDATE WAIT 2";
    }

    /**
     * Statements at the beginning of a transaction, in one round trip. It then reads what is committed, and uses indexes, even if the
     * database has no statistics. As far as the database can do that, it neither waits for locks nor stays idle with its own without end.
     * Empty if the driver has to be asked for the isolation.
     */
    default Optional<String> transactionSettings() {
        return Optional.empty();
    }

    /** The same for a transaction whose commit need not wait for the disk, if the database can do so. */
    default Optional<String> unflushedTransactionSettings() {
        return transactionSettings();
    }

    /**
     * Does work in the present transaction whose statements wait for locks of other transactions for five seconds at most, where the
     * {@linkplain #transactionSettings settings} of the transaction can't say so. The session is afterwards as it was.
     */
    default <T> T limitingWaits(JdbcOperations jdbc, Supplier<T> work) {
        return work.get();
    }

    /**
     * Does work in the present transaction whose statements wait for locks of other transactions for a moment only, as far as the database
     * can limit that.
     *
     * @throws DataAccessException if a statement waited in vain, as {@link #isHeld} tells
     */
    default <T> T impatiently(JdbcOperations jdbc, Supplier<T> work) {
        return work.get();
    }

    /** Whether a statement failed as another transaction held its rows for too long. */
    default boolean isHeld(DataAccessException failure) {
        return false;
    }

    /**
     * Statements at the beginning of a transaction that sees rows which others did not commit yet. Empty if the database shows them to
     * nobody, or if there is no need to look for them before they are met.
     */
    default Optional<String> uncommittedSettings() {
        return Optional.empty();
    }

    /** Whether a transaction that failed this way may succeed when it is repeated from its beginning: deadlocks and the like. */
    boolean isRepeatable(DataAccessException failure);

    /** Whether a statement failed because a text does not fit its column. */
    default boolean isTooLong(DataAccessException failure) {
        return SqlErrors.hasState(failure, "22001");
    }
}
