package io.delayqueue.jdbc.oracle;

import org.jspecify.annotations.Nullable;

/**
 * A fault.
 *
 * @param fault its name
 * @param instance the instance that it struck; null if it struck all
 * @param begun µs since the epoch
 * @param ended µs since the epoch; {@link Long#MAX_VALUE} for one that is dead
 */
record Strike(String fault, @Nullable String instance, long begun, long ended) {

    /** Name of the fault after which messages come back from the journal, with attempts counted anew. */
    static final String EMPTIED = "Redis emptied";

    boolean struck(String one, long from, long to) {
        return (instance == null || instance.equals(one)) && begun <= to && ended >= from;
    }
}
