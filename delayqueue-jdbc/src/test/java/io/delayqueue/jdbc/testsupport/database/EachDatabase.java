package io.delayqueue.jdbc.testsupport.database;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ArgumentsSource;

/**
 * A test with a fresh, empty {@link TestDatabase} as its first parameter. H2 runs in this JVM; PostgreSQL and MariaDB are real servers,
 * started once a JVM from Maven artifacts. The environment may name others, as {@link DatabaseServers} says.
 *
 * <p>Everyday it runs on one database: PostgreSQL, or the one of its class' {@link Everyday}; where that does not run, or the test does
 * not name it, the first of those it names. {@code -Dtest.databases=all} runs it on all that it names, one behind the other, and
 * {@code -Dtest.databases=h2,mariadb} on those of them. {@code -Pmysql -Dtest.databases=mysql} runs it on MySQL, if it names that.
 */
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@ParameterizedTest(name = "{0}", allowZeroInvocations = true)
@ArgumentsSource(TestDatabases.class)
public @interface EachDatabase {

    /** The kinds to run on; all by default. */
    DatabaseKind[] value() default {DatabaseKind.POSTGRESQL, DatabaseKind.MARIADB, DatabaseKind.H2, DatabaseKind.MYSQL};
}
