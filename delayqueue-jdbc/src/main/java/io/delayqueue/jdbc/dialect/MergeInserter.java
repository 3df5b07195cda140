package io.delayqueue.jdbc.dialect;

import io.delayqueue.jdbc.dialect.RowInsert.Type;
import java.sql.BatchUpdateException;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.jdbc.core.BatchPreparedStatementSetter;
import org.springframework.jdbc.core.JdbcOperations;

/**
 * H2 and Oracle: a JDBC batch of {@code MERGE} statements. If another transaction inserts the same key at the same time, such a
 * statement fails after it has waited for it, and changes the row when it is repeated. The failure does not spoil the transaction.
 */
final class MergeInserter implements RowInserter {

    private static final int MOST_ROWS = 1_000;

    private final int rowsOfBatch;
    private final String sql;
    private final List<Type> types;

    /** Merges rows that are given by this expression, so many at once. */
    private MergeInserter(RowInsert insert, String given, int rowsOfBatch) {
        String on = insert.key().stream()
                .map(column -> "o." + column + " = n." + column)
                .collect(Collectors.joining(" AND "));
        String update = insert.updates().isEmpty()
                ? ""
                : " WHEN MATCHED THEN UPDATE SET "
                        + insert.updateList(
                                column -> "o." + column, column -> insert.value(column, parameter -> "n." + parameter));
        this.rowsOfBatch = rowsOfBatch;
        this.types = insert.types();
        this.sql = "MERGE INTO " + insert.table() + " o USING " + given + " ON (" + on + ")" + update
                + " WHEN NOT MATCHED THEN INSERT (" + insert.columnList() + ") VALUES ("
                + insert.valueList(parameter -> "n." + parameter) + ")";
    }

    /** One at a time, without a round trip: its driver goes on after a failed row, and would so lock rows out of their order. */
    static MergeInserter h2(RowInsert insert) {
        return new MergeInserter(
                insert,
                "(VALUES ("
                        + each(
                                insert,
                                name -> "CAST(? AS "
                                        + Objects.requireNonNull(
                                                        insert.parameters().get(name))
                                                .standard() + ")")
                        + ")) n("
                        + each(insert, name -> name) + ")",
                1);
    }

    static MergeInserter oracle(RowInsert insert) {
        return new MergeInserter(
                insert, "(SELECT " + each(insert, name -> "? AS " + name) + " FROM dual) n", MOST_ROWS);
    }

    private static String each(RowInsert insert, Function<String, String> text) {
        return insert.parameters().keySet().stream().map(text).collect(Collectors.joining(", "));
    }

    @Override
    public void insert(JdbcOperations jdbc, List<@Nullable Object[]> rows) {
        int repeated = -1;
        for (int from = 0; from < rows.size(); ) {
            List<@Nullable Object[]> part = rows.subList(from, Math.min(from + rowsOfBatch, rows.size()));
            try {
                jdbc.batchUpdate(sql, new Rows(part));
                from += part.size();
            } catch (DuplicateKeyException e) {
                int failed = from + done(e);
                if (failed == repeated) {
                    throw e;
                }
                repeated = failed;
                from = failed;
            }
        }
    }

    /** The rows before the failed one, where the driver stopped. */
    private static int done(DuplicateKeyException failure) {
        int done = 0;
        if (failure.getCause() instanceof BatchUpdateException batch) {
            int[] counts = batch.getUpdateCounts();
            while (done < counts.length && counts[done] != Statement.EXECUTE_FAILED) {
                done++;
            }
        }
        return done;
    }

    private final class Rows implements BatchPreparedStatementSetter {

        private final List<@Nullable Object[]> rows;

        Rows(List<@Nullable Object[]> rows) {
            this.rows = rows;
        }

        @Override
        public void setValues(PreparedStatement statement, int i) throws SQLException {
            Object[] values = rows.get(i);
            for (int column = 0; column < types.size(); column++) {
                Object value = values[column];
                if (value == null) {
                    statement.setNull(column + 1, types.get(column).jdbc());
                } else if (value instanceof byte[] bytes) {
                    statement.setBytes(column + 1, bytes);
                } else {
                    statement.setObject(column + 1, value);
                }
            }
        }

        @Override
        public int getBatchSize() {
            return rows.size();
        }
    }
}
