package io.delayqueue.jdbc.audit;

import io.delayqueue.jdbc.support.JournalDatabase;

/**
 * The database's clock, as its last reply told it.
 *
 * @param micros its time in µs
 * @param atNanos {@link System#nanoTime()} after the reply, so that times counted from it are never too late
 */
record DatabaseTime(long micros, long atNanos) {

    /** Of the clock that H2 is asked for. */
    private static final long LARGEST_STEP_MICROS = 1_000;

    static DatabaseTime now(JournalDatabase database) {
        long micros = database.nowMicros();
        return new DatabaseTime(micros, System.nanoTime());
    }

    long at(long nanos) {
        return micros - (atNanos - nanos) / 1_000;
    }

    /** A time before that: what the database did later has a later time, though a clock may leave out what is below a millisecond. */
    long before(long nanos) {
        return at(nanos) - LARGEST_STEP_MICROS;
    }
}
