package io.delayqueue.jdbc.actuate;

import io.delayqueue.jdbc.audit.AuditBuffer;
import io.delayqueue.jdbc.audit.AuditWriter;

/**
 * Tells of the audit trail what the endpoint shows.
 *
 * @param buffer events that wait
 * @param writer writes them
 */
public record AuditReports(AuditBuffer buffer, AuditWriter writer) {

    AuditDescriptor status() {
        return new AuditDescriptor(buffer.size() + writer.unwritten(), buffer.dropped(), writer.isFailing());
    }
}
