package io.delayqueue.jdbc.restore;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The result of a restore.
 *
 * @param dryRun whether it changed nothing
 * @param scanned messages compared, of the journal and of Redis
 * @param differences number of differences of each kind; a dry run and a restore count the same
 * @param restored messages that are scheduled again
 * @param rescheduled messages that get the journal's due time
 * @param dropped messages deleted from Redis, as they are finished in the journal
 * @param unrecorded messages found to have ended in Redis, without a record of how
 * @param waiting messages that Redis does not have yet, since changes of theirs wait in the outbox or are not committed: while there are
 *     any, a loss is not repaired
 * @param failures topics that failed, with the reason; up to 100. The others were restored
 * @param examples up to 20 differences of each kind
 */
public record RestoreReport(
        boolean dryRun,
        long scanned,
        Map<Difference.Kind, Long> differences,
        long restored,
        long rescheduled,
        long dropped,
        long unrecorded,
        long waiting,
        Map<String, String> failures,
        List<Difference> examples) {

    public RestoreReport {
        differences = Map.copyOf(differences);
        failures = Map.copyOf(failures);
        examples = List.copyOf(examples);
    }

    /** Number of differences of a kind. */
    public long count(Difference.Kind kind) {
        return differences.getOrDefault(kind, 0L);
    }

    /** The numbers, for a log; examples may have ids of customers. */
    @Override
    public String toString() {
        return (dryRun ? "dry run: " : "") + scanned + " messages compared, differences "
                + new TreeMap<>(differences) + ", " + restored + " restored, " + rescheduled + " rescheduled, "
                + dropped + " dropped, " + unrecorded + " unrecorded, " + waiting + " waiting"
                + (failures.isEmpty() ? "" : ", failed topics " + new TreeMap<>(failures).keySet());
    }
}
