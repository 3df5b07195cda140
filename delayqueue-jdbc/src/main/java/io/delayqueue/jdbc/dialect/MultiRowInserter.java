package io.delayqueue.jdbc.dialect;

import io.delayqueue.jdbc.dialect.RowInsert.Type;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.JdbcOperations;

/** MySQL and MariaDB: a statement has the values of many rows. Their drivers would send a JDBC batch row by row. */
final class MultiRowInserter implements RowInserter {

    /** Larger ones are hardly quicker, and each number of rows is another text for the server to parse. */
    private static final int MOST_ROWS = 100;

    private final Dialect dialect;
    private final List<Type> types;
    private final String begin;
    private final String row;
    private final String end;

    MultiRowInserter(RowInsert insert, Dialect dialect) {
        this.dialect = dialect;
        this.types = insert.types();
        this.begin = "INSERT INTO " + insert.table() + " (" + insert.columnList() + ") VALUES ";
        this.row = "(" + insert.valueList(parameter -> "?") + ")";
        String first = insert.key().get(0);
        this.end = " ON DUPLICATE KEY UPDATE "
                + (insert.updates().isEmpty()
                        ? first + " = " + insert.table() + "." + first
                        : insert.updateList(
                                column -> insert.table() + "." + column, column -> "VALUES(" + column + ")"));
    }

    @Override
    public void insert(JdbcOperations jdbc, List<@Nullable Object[]> rows) {
        for (List<@Nullable Object[]> part : RowInserter.parts(rows, MOST_ROWS)) {
            String sql = begin + String.join(", ", Collections.nCopies(part.size(), row)) + end;
            jdbc.update(sql, statement -> setParameters(statement, part));
        }
    }

    private void setParameters(PreparedStatement statement, List<@Nullable Object[]> rows) throws SQLException {
        int index = 1;
        for (Object[] values : rows) {
            for (int column = 0; column < types.size(); column++) {
                Object value = values[column];
                if (value == null) {
                    statement.setNull(index++, types.get(column).jdbc());
                } else {
                    statement.setObject(index++, types.get(column) == Type.NAME ? dialect.name((String) value) : value);
                }
            }
        }
    }
}
