package io.delayqueue.jdbc.dialect;

import java.util.Set;
import java.util.function.Supplier;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcOperations;

/** H2 2 and later. Its clock is that of the JVM it runs in, to the millisecond. The schema has a function for it. */
final class H2Dialect implements Dialect {

    private static final int LOCK_TIMEOUT = 50_200;

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

    /** The session belongs to the pool, which may have given it another limit. */
    @Override
    public <T> T impatiently(JdbcOperations jdbc, Supplier<T> work) {
        Long before = jdbc.queryForObject("CALL LOCK_TIMEOUT()", Long.class);
        jdbc.execute("SET LOCK_TIMEOUT 20");
        try {
            return work.get();
        } finally {
            jdbc.execute("SET LOCK_TIMEOUT " + before);
        }
    }

    @Override
    public boolean isHeld(DataAccessException failure) {
        return SqlErrors.hasCode(failure, LOCK_TIMEOUT);
    }

    @Override
    public boolean isRepeatable(DataAccessException failure) {
        return SqlErrors.isConflict(failure, Set.of());
    }
}
