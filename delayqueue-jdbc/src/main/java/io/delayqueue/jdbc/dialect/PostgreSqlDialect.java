package io.delayqueue.jdbc.dialect;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.springframework.dao.DataAccessException;

/** PostgreSQL 13 and later. */
final class PostgreSqlDialect implements Dialect {

    /**
     * A table that grew since it was last analyzed, or never was, looks small to the planner: it would read and sort all of it, or join
     * each id with all rows of its topic.
     */
    private static final String USE_INDEXES = Stream.of(
                    "enable_seqscan", "enable_bitmapscan", "enable_sort", "enable_hashjoin", "enable_mergejoin")
            .map(setting -> "set_config('" + setting + "', 'off', true)")
            .collect(Collectors.joining(", ", "SELECT ", ""));

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
        return new UnnestInserter(insert);
    }

    @Override
    public List<Condition> byIds(String topic, List<String> ids) {
        return List.of(new Condition("topic = ? AND id = ANY(?)", List.of(topic, array(ids))));
    }

    @Override
    public List<Condition> byGenerations(String topic, List<String> ids, List<String> generations) {
        return List.of(new Condition(
                "topic = ? AND (id, generation) IN (SELECT * FROM unnest(CAST(? AS TEXT[]), CAST(? AS TEXT[])))",
                List.of(topic, array(ids), array(generations))));
    }

    private static Object array(List<String> names) {
        return names.toArray(new String[0]);
    }

    @Override
    public Optional<String> useIndexes() {
        return Optional.of(USE_INDEXES);
    }

    @Override
    public boolean isRepeatable(DataAccessException failure) {
        return SqlErrors.isConflict(failure, Set.of());
    }
}
