package io.delayqueue.jdbc.oracle;

import java.util.Collection;
import java.util.List;
import java.util.Set;

/**
 * What is known of a run.
 *
 * @param work committed changes, and those that were made without a transaction
 * @param notes what the instances wrote
 * @param refused versions that the journal says Redis refused, as another message had their id
 * @param strikes the faults
 * @param sightings what was in the outbox
 * @param leaseMicros lease of messages
 */
record Evidence(
        Collection<Work> work,
        Collection<Note> notes,
        Set<String> refused,
        List<Strike> strikes,
        Sightings sightings,
        long leaseMicros) {

    /** Between a claim and its handler's beginning, or between the handler's end and the ack, while nothing is wrong. */
    static final long SLACK_MICROS = 1_000_000;

    boolean struck(String instance, long from, long to) {
        return strikes.stream().anyMatch(strike -> strike.struck(instance, from, to));
    }

    /** Whether messages came back that Redis had lost. */
    boolean cameBack(long from, long to) {
        return strikes.stream()
                .filter(strike -> strike.fault().equals(Strike.EMPTIED))
                .anyMatch(strike -> strike.struck("", from, to));
    }

    /** Whether a delivery may have been claimed long before it began. */
    boolean mayHaveBeenHeldUp(Note begun) {
        return struck(begun.instance(), begun.at() - leaseMicros - SLACK_MICROS, begun.at());
    }
}
