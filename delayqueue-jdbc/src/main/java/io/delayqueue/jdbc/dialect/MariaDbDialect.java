package io.delayqueue.jdbc.dialect;

import java.util.Set;
import org.springframework.dao.DataAccessException;

/** MariaDB 10.11 and later. */
final class MariaDbDialect extends MySqlDialect {

    /** With innodb_snapshot_isolation, a row that changed since the transaction's snapshot can't be locked. */
    private static final Set<Integer> RECORD_CHANGED = Set.of(1020);

    @Override
    public String platform() {
        return "mariadb";
    }

    @Override
    public String forUpdateAfterOthers() {
        return " FOR UPDATE WAIT 2";
    }

    /** Without an alias it knows no index hints. MySQL's DELETE of one table uses the key by itself, and scans the table with an alias. */
    @Override
    public String deleteByKey(String table) {
        return "DELETE r FROM " + table + " AS r" + byIndex("PRIMARY");
    }

    @Override
    public boolean isRepeatable(DataAccessException failure) {
        return super.isRepeatable(failure) || SqlErrors.isConflict(failure, RECORD_CHANGED);
    }
}
