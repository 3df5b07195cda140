package io.delayqueue.jdbc.dialect;

import java.util.Set;
import org.springframework.dao.DataAccessException;

/** H2 2 and later. Its clock is that of the JVM it runs in, to the millisecond. The schema has a function for it. */
final class H2Dialect implements Dialect {

    @Override
    public String platform() {
        return "h2";
    }

    @Override
    public String nowMicros() {
        return "DELAYQUEUE_NOW() * 1000";
    }

    @Override
    public RowInserter inserter(RowInsert insert) {
        return MergeInserter.h2(insert);
    }

    @Override
    public boolean limitsUnlockedRows() {
        return false;
    }

    @Override
    public boolean isRepeatable(DataAccessException failure) {
        return SqlErrors.isConflict(failure, Set.of());
    }
}
