package io.delayqueue.jdbc.dialect;

import io.delayqueue.jdbc.dialect.RowInsert.Type;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.JdbcOperations;

/** PostgreSQL: a statement takes an array for each parameter, so one text serves any number of rows. */
final class UnnestInserter implements RowInserter {

    private static final int MOST_ROWS = 1_000;

    private final String sql;
    private final List<Type> types;

    private UnnestInserter(RowInsert insert, String end) {
        // as a list in FROM, each array would be stored before its first row is read
        String arrays = insert.parameters().keySet().stream()
                .map(parameter -> "unnest(?) AS " + parameter)
                .collect(Collectors.joining(", "));
        this.types = insert.types();
        this.sql = "INSERT INTO " + insert.table() + " AS o (" + insert.columnList() + ") SELECT "
                + insert.valueList(parameter -> "n." + parameter) + " FROM (SELECT " + arrays
                + ") n" + end;
    }

    static UnnestInserter of(RowInsert insert) {
        String conflict = insert.updates().isEmpty()
                ? "DO NOTHING"
                : "DO UPDATE SET " + insert.updateList(column -> "o." + column, column -> "excluded." + column);
        return new UnnestInserter(insert, " ON CONFLICT (" + String.join(", ", insert.key()) + ") " + conflict);
    }

    /** Rows that are there make it fail. */
    static UnnestInserter ofNewRows(RowInsert insert) {
        return new UnnestInserter(insert, "");
    }

    @Override
    public void insert(JdbcOperations jdbc, List<@Nullable Object[]> rows) {
        for (List<@Nullable Object[]> part : RowInserter.parts(rows, MOST_ROWS)) {
            jdbc.update(sql, statement -> setArrays(statement, part));
        }
    }

    private void setArrays(PreparedStatement statement, List<@Nullable Object[]> rows) throws SQLException {
        Connection connection = statement.getConnection();
        for (int column = 0; column < types.size(); column++) {
            Object[] array = newArray(types.get(column), rows.size());
            for (int row = 0; row < rows.size(); row++) {
                array[row] = rows.get(row)[column];
            }
            statement.setArray(
                    column + 1, connection.createArrayOf(types.get(column).postgreSql(), array));
        }
    }

    private static Object[] newArray(Type type, int length) {
        return switch (type) {
            case NAME, ASCII, TEXT -> new String[length];
            case INTEGER -> new Integer[length];
            case BIGINT -> new Long[length];
            case BINARY -> new byte[length][];
        };
    }
}
