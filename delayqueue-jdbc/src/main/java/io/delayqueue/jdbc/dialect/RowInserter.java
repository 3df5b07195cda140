package io.delayqueue.jdbc.dialect;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcOperations;

/** Inserts rows by few statements, in the order given, which is the order in which it locks those that are there. */
public interface RowInserter {

    /** Bytes of a statement: a server takes 16 MB by default, but its operator may have set less. */
    int MOST_BYTES = 1 << 20;

    /**
     * Inserts rows in the current transaction, or else one statement at a time.
     *
     * @param rows the parameters of each row; no two with the same key if rows that are there are changed
     * @throws DataAccessException if a statement fails; some of the rows may have been inserted
     */
    void insert(JdbcOperations jdbc, List<@Nullable Object[]> rows);

    /** Rows in parts of at most this many and {@link #MOST_BYTES}; a larger row is a part of its own. */
    static List<List<@Nullable Object[]>> parts(List<@Nullable Object[]> rows, int most) {
        List<List<@Nullable Object[]>> parts = new ArrayList<>();
        int from = 0;
        long bytes = 0;
        for (int i = 0; i < rows.size(); i++) {
            long more = bytes(rows.get(i));
            if (i > from && (i - from == most || bytes + more > MOST_BYTES)) {
                parts.add(rows.subList(from, i));
                from = i;
                bytes = 0;
            }
            bytes += more;
        }
        if (from < rows.size()) {
            parts.add(rows.subList(from, rows.size()));
        }
        return parts;
    }

    private static long bytes(@Nullable Object[] row) {
        long bytes = 0;
        for (Object value : row) {
            if (value instanceof byte[] binary) {
                // drivers write them as text
                bytes += 2L * binary.length;
            } else if (value instanceof String text) {
                bytes += text.length();
            } else {
                bytes += 8;
            }
        }
        return bytes;
    }
}
