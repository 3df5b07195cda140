package io.delayqueue.jdbc.database;

import java.util.Locale;

/** A kind of database that tests run on. */
public enum DatabaseKind {
    H2,
    POSTGRESQL,
    MARIADB,
    /** Has no artifact with a server: runs only where the environment names one. */
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
