package io.delayqueue.jdbc.dialect;

import java.util.Set;
import org.springframework.dao.DataAccessException;

/** PostgreSQL 13 and later. */
final class PostgreSqlDialect implements Dialect {

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
    public boolean isRepeatable(DataAccessException failure) {
        return SqlErrors.isConflict(failure, Set.of());
    }
}
