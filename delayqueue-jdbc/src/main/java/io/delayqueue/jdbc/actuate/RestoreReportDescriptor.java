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
 * @param examples up to 20 differences of each kind
 */
public record RestoreReportDescriptor(
        long scanned,
        Map<String, Long> differences,
        long restored,
        long rescheduled,
        long dropped,
        long unrecorded,
        List<DifferenceDescriptor> examples) {}
