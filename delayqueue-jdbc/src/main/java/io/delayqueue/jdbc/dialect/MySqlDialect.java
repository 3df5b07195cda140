package io.delayqueue.jdbc.dialect;

import java.nio.charset.StandardCharsets;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Set;
import org.springframework.dao.DataAccessException;

/** MySQL 8 and later. Names are kept as bytes, since its text types ignore trailing blanks or know no comparison by byte. */
class MySqlDialect implements Dialect {

    /** Lock wait timeout, deadlock. */
    private static final Set<Integer> CONFLICTS = Set.of(1205, 1213);

    @Override
    public String platform() {
        return "mysql";
    }

    /** UNIX_TIMESTAMP would go through the session's time zone, and repeat an hour each autumn. */
    @Override
    public String nowMicros() {
        return "TIMESTAMPDIFF(MICROSECOND, '1970-01-01 00:00:00', UTC_TIMESTAMP(6))";
    }

    @Override
    public Object name(String name) {
        return name.getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public String name(ResultSet row, String column) throws SQLException {
        return new String(row.getBytes(column), StandardCharsets.UTF_8);
    }

    @Override
    public RowInserter inserter(RowInsert insert) {
        return new MultiRowInserter(insert, this);
    }

    @Override
    public boolean isRepeatable(DataAccessException failure) {
        return SqlErrors.isConflict(failure, CONFLICTS);
    }
}
