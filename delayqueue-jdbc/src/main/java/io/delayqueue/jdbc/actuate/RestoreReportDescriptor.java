package io.delayqueue.jdbc.actuate;

import java.util.List;
import java.util.Map;

/**
 * Result of a restore.
 *
 * @param scanned messages compared, of the journal and of Redis
 * @param differences number of differences of each kind
 * @param restored messages that are scheduled again
 * @param rescheduled messages that get the journal's due time
 * @param dropped messages deleted from Redis, as they are finished in the journal
 * @param unrecorded messages found to have ended in Redis, without a record of how
 * @param waiting messages left to changes that were not sent yet: until those are, a loss is not repaired
 * @param failures topics that failed, with the reason; up to 100
 * @param examples up to 20 differences of each kind
 */
public record RestoreReportDescriptor(
        long scanned,
        Map<String, Long> differences,
        long restored,
        long rescheduled,
        long dropped,
        long unrecorded,
        long waiting,
        Map<String, String> failures,
        List<DifferenceDescriptor> examples) {}
