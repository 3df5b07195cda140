package io.delayqueue.jdbc.audit;

import io.delayqueue.jdbc.JournalDatabase;

/**
 * The database's clock, as its last reply told it.
 *
 * @param micros its time in µs
 * @param atNanos {@link System#nanoTime()} behind the reply, so that times counted from it are never too late
 */
record DatabaseTime(long micros, long atNanos) {

    static DatabaseTime now(JournalDatabase database) {
        // Oracle wants a table
        long micros = database.jdbc()
                .sql("SELECT " + database.dialect().nowMicros() + " FROM "
                        + database.tables().schema())
                .query(Long.class)
                .list()
                .get(0);
        return new DatabaseTime(micros, System.nanoTime());
    }

    long at(long nanos) {
        return micros - (atNanos - nanos) / 1_000;
    }
}
