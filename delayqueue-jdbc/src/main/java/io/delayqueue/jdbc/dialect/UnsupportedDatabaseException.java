package io.delayqueue.jdbc.dialect;

import org.springframework.boot.jdbc.DatabaseDriver;

/** The journal does not know the application's database. */
public final class UnsupportedDatabaseException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    UnsupportedDatabaseException(DatabaseDriver driver) {
        super("The journal works with PostgreSQL, MySQL, MariaDB, Oracle and H2, but the DataSource's database is "
                + (driver == DatabaseDriver.UNKNOWN ? "unknown" : driver.name())
                + ".");
    }

    /** How to correct it. */
    public String action() {
        return "Give a DataSource of a supported database the name or qualifier 'delayQueueJournalDataSource', or set"
                + " delayqueue.journal.enabled=false to do without the journal.";
    }
}
