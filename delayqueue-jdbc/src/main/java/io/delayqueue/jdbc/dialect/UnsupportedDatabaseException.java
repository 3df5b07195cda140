package io.delayqueue.jdbc.dialect;

import org.springframework.boot.jdbc.DatabaseDriver;

/** The journal does not know the application's database. */
public final class UnsupportedDatabaseException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    UnsupportedDatabaseException(DatabaseDriver driver) {
        super("the journal works with PostgreSQL, MySQL, MariaDB, Oracle and H2, but the DataSource's database is "
                + (driver == DatabaseDriver.UNKNOWN ? "unknown" : driver.name()));
    }
}
