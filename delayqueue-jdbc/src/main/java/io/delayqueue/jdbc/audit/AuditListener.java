package io.delayqueue.jdbc.audit;

import java.util.List;

/** Is told of events that are written, on the audit's thread. */
public interface AuditListener {

    /**
     * Events are being written. Is called in their transaction, so what it writes is kept if they are. The transaction may be repeated; a
     * failure fails it.
     */
    default void writing(List<AuditEvent> events) {}
}
