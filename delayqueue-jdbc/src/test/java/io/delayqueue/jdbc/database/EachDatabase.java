package io.delayqueue.jdbc.database;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ArgumentsSource;

/**
 * A test that runs on each database in turn, with a fresh, empty {@link TestDatabase} as its only parameter. H2 runs in this JVM;
 * PostgreSQL and MariaDB are real servers, started once a JVM from Maven artifacts. The environment may name others, as
 * {@link DatabaseServers} says. A server that does not run here is reported, and its tests are skipped.
 */
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@ParameterizedTest(name = "{0}")
@ArgumentsSource(TestDatabases.class)
public @interface EachDatabase {

    /** The kinds to run on; all by default. */
    DatabaseKind[] value() default {DatabaseKind.H2, DatabaseKind.POSTGRESQL, DatabaseKind.MARIADB, DatabaseKind.MYSQL};
}
