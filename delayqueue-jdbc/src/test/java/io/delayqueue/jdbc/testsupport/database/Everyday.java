package io.delayqueue.jdbc.testsupport.database;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** The database that a class' tests run on everyday, in place of PostgreSQL: see {@link EachDatabase}. */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
public @interface Everyday {

    DatabaseKind value();
}
