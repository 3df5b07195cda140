package io.delayqueue.jdbc.dialect;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcOperations;

/** PostgreSQL 13 and later. */
final class PostgreSqlDialect implements Dialect {

    /**
     * A table that grew since it was last analyzed, or never was, looks small to the planner. It would read and sort all of it, or join
     * each id with all rows of its topic.
     */
    private static final String USE_INDEXES = Stream.of(
                    "enable_seqscan", "enable_bitmapscan", "enable_sort", "enable_hashjoin", "enable_mergejoin")
            .map(setting -> local(setting, "off"))
            .collect(Collectors.joining(", "));

    /**
     * An instance may freeze in the middle of a transaction. Those that wait for its locks give their connections back, until the server
     * ends it.
     */
    private static final String LIMITS =
            local("lock_timeout", "5s") + ", " + local("idle_in_transaction_session_timeout", "30s");

    /** Other transactions of the journal end within milliseconds: a lock that is held for longer is a caller's. */
    private static final String IMPATIENT = "SELECT " + local("lock_timeout", "20ms");

    private static final String SETTINGS =
            "SET TRANSACTION ISOLATION LEVEL READ COMMITTED; SELECT " + USE_INDEXES + ", " + LIMITS;

    private static String local(String setting, String value) {
        return "set_config('" + setting + "', '" + value + "', true)";
    }

    @Override
    public String platform() {
        return "postgresql";
    }

    @Override
    public String nowMicros() {
        return "CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000000 AS BIGINT)";
    }

    @Override
    public RowInserter inserter(RowInsert insert) {
        return UnnestInserter.of(insert);
    }

    /** {@code ON CONFLICT} looks for each row, and logs one record more. */
    @Override
    public RowInserter inserterOfNewRows(RowInsert insert) {
        return UnnestInserter.ofNewRows(insert);
    }

    @Override
    public List<Condition> byIds(String topic, List<String> ids) {
        return List.of(new Condition("topic = ? AND id = ANY(?)", List.of(topic, array(ids))));
    }

    /**
     * A join may be turned round, and then compares all rows of the topic with all keys. OFFSET keeps the inner query as it is: one look at
     * the primary key for each of the keys. An UPDATE leaves out a row that another transaction changes meanwhile, as the new version has
     * another ctid; a {@code RowUpdate} does not.
     */
    @Override
    public List<Condition> byGenerations(String table, String topic, List<String> ids, List<String> generations) {
        String rows = "SELECT r.ctid FROM " + table
                + " r WHERE r.topic = ? AND r.id = k.id AND r.generation = k.generation OFFSET 0";
        return List.of(new Condition(
                "ctid = ANY(ARRAY(SELECT f.ctid FROM unnest(CAST(? AS VARCHAR[]), CAST(? AS VARCHAR[])) AS k(id, generation)"
                        + " CROSS JOIN LATERAL (" + rows + ") f))",
                List.of(array(ids), array(generations), topic)));
    }

    private static Object array(List<String> names) {
        return names.toArray(new String[0]);
    }

    /** An array keeps to the limit, whatever else the planner does with a query. */
    @Override
    public String delete(RowDelete rows, int most) {
        return "DELETE FROM " + rows.table() + " WHERE ctid = ANY(ARRAY(SELECT r.ctid FROM " + rows.table()
                + " r WHERE " + rows.condition() + " ORDER BY r." + rows.age() + limit(most) + "))";
    }

    /** A failed statement spoils the transaction. */
    @Override
    public String insertIfAbsent(String row) {
        return "INSERT " + row + " ON CONFLICT DO NOTHING";
    }

    /** As long as the {@linkplain #transactionSettings settings} of the transaction say. */
    @Override
    public String forUpdateAfterOthers() {
        return " FOR UPDATE";
    }

    /** The driver would ask the server for the isolation, too. */
    @Override
    public Optional<String> transactionSettings() {
        return Optional.of(SETTINGS);
    }

    @Override
    public Optional<String> unflushedTransactionSettings() {
        return Optional.of(SETTINGS + ", " + local("synchronous_commit", "off"));
    }

    @Override
    public <T> T impatiently(JdbcOperations jdbc, Supplier<T> work) {
        jdbc.execute(IMPATIENT);
        return work.get();
    }

    @Override
    public boolean isHeld(DataAccessException failure) {
        return SqlErrors.hasState(failure, "55P03");
    }

    /** Not one that waited for a lock long enough: it has to give its connection back, and to pause. */
    @Override
    public boolean isRepeatable(DataAccessException failure) {
        return SqlErrors.isConflict(failure, Set.of());
    }
}
