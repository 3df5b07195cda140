package io.delayqueue.jdbc.testsupport.database;

import java.util.Locale;

/** A kind of database that tests run on. */
public enum DatabaseKind {
    H2,
    POSTGRESQL,
    MARIADB,
    /** Runs only where the environment names a server, or {@code test.databases} and the profile {@code mysql} ask for it. */
    MYSQL;

    /** The environment variable with the JDBC URL of a server, user and password included. Its user may create databases. */
    public String variable() {
        return "DELAYQUEUE_TEST_" + name();
    }

    /** The platform in the names of schema files. */
    public String platform() {
        return name().toLowerCase(Locale.ROOT);
    }
}
