package io.delayqueue.jdbc.oracle;

import java.util.Set;
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

    /** Redis did not answer an instance: that alone holds up no handler of a message that was claimed. */
    static final String UNANSWERED = "unanswered";

    static final String EMPTIED = "Redis emptied";
    static final String RESTARTED_EMPTY = "Redis restarted without its files";
    static final String RESTARTED_OLDER = "Redis restarted from older files";
    static final String FAILED_OVER = "Redis failed over without the last writes";

    /** Messages become due, leases end, and what Redis remembers is old, by as much as the clock was set. */
    static final String CLOCK_AHEAD = "Redis' clock set ahead";

    static final String CLOCK_BACK = "Redis' clock set back";

    /** Faults after which messages come back from the journal, with attempts counted anew. */
    private static final Set<String> LOSSES = Set.of(EMPTIED, RESTARTED_EMPTY, RESTARTED_OLDER, FAILED_OVER);

    boolean struck(String one, long from, long to) {
        return (instance == null || instance.equals(one)) && begun <= to && ended >= from;
    }

    /** Whether Redis lost data. */
    boolean isLoss() {
        return LOSSES.contains(fault);
    }

    boolean isDeadly() {
        return instance != null && ended == Long.MAX_VALUE;
    }
}
