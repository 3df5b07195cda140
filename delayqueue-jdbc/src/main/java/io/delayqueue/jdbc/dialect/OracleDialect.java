package io.delayqueue.jdbc.dialect;

import java.util.Set;
import org.springframework.dao.DataAccessException;

/** Oracle 19c and later. Not tested on a server. */
final class OracleDialect implements Dialect {

    /** ORA-00060 is a deadlock, ORA-08177 a row that changed since a serializable transaction began. */
    private static final Set<Integer> CONFLICTS = Set.of(60, 8177);

    private static final String SINCE_EPOCH = "(SYS_EXTRACT_UTC(SYSTIMESTAMP) - TIMESTAMP '1970-01-01 00:00:00')";

    private static final String NOW = "(EXTRACT(DAY FROM " + SINCE_EPOCH + ") * 86400000000 + EXTRACT(HOUR FROM "
            + SINCE_EPOCH + ") * 3600000000 + EXTRACT(MINUTE FROM " + SINCE_EPOCH
            + ") * 60000000 + ROUND(EXTRACT(SECOND FROM "
            + SINCE_EPOCH + ") * 1000000))";

    @Override
    public String platform() {
        return "oracle";
    }

    @Override
    public String nowMicros() {
        return NOW;
    }

    /** Rows are counted before locked ones are left out. */
    @Override
    public String limit(int rows) {
        return " FETCH FIRST " + rows + " ROWS ONLY";
    }

    @Override
    public String limit(int rows, int skipped) {
        return " OFFSET " + skipped + " ROWS" + limit(rows);
    }

    /** A limit and FOR UPDATE don't go together at all. */
    @Override
    public boolean limitsUnlockedRows() {
        return false;
    }

    @Override
    public String delete(RowDelete rows, int most) {
        return "DELETE FROM " + rows.table() + " r WHERE " + rows.condition() + " AND ROWNUM <= " + most;
    }

    @Override
    public RowInserter inserter(RowInsert insert) {
        return MergeInserter.oracle(insert);
    }

    @Override
    public boolean isRepeatable(DataAccessException failure) {
        return SqlErrors.isConflict(failure, CONFLICTS);
    }

    /** ORA-12899. */
    @Override
    public boolean isTooLong(DataAccessException failure) {
        return SqlErrors.hasCode(failure, 12899);
    }
}
