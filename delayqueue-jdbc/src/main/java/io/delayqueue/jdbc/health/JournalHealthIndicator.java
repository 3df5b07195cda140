package io.delayqueue.jdbc.health;

import io.delayqueue.jdbc.audit.AuditBuffer;
import io.delayqueue.jdbc.audit.AuditWriter;
import io.delayqueue.jdbc.relay.OutboxLifecycle;
import io.delayqueue.jdbc.relay.OutboxOperator;
import io.delayqueue.jdbc.relay.OutboxStatus;
import io.delayqueue.jdbc.relay.Relay;
import io.delayqueue.jdbc.restore.JournalRestore;
import io.delayqueue.spring.health.DelayQueueHealthIndicator;
import java.time.Duration;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;

/**
 * Health of the journal. It is down if the database does not answer or this instance's relay does not run. It is {@link #OVERDUE} if a
 * committed change waits to be sent for longer than a threshold, an id is blocked, Redis lost data that was not restored yet, or the
 * audit trail's memory is nearly full. Else it is up.
 */
public final class JournalHealthIndicator extends AbstractHealthIndicator {

    /** Something waits for too long. That is no reason to send an instance no more requests. */
    public static final Status OVERDUE = DelayQueueHealthIndicator.OVERDUE;

    /** Redis may be unavailable for a moment, and the changes of a killed process wait until the send timeout is over. */
    public static final Duration DEFAULT_THRESHOLD = Duration.ofMinutes(1);

    /** From here on, the policy {@code stop} pauses listeners, and {@code flow} soon drops events. */
    private static final double AUDIT_IS_FULL = 0.8;

    private final OutboxOperator outbox;
    private final Relay relay;
    private final OutboxLifecycle lifecycle;
    private final Duration threshold;
    private final ObjectProvider<JournalRestore> restore;
    private final ObjectProvider<AuditBuffer> audit;
    private final ObjectProvider<AuditWriter> writer;

    /**
     * An indicator.
     *
     * @param threshold time for which a change may wait to be sent
     * @param restore may have none
     * @param audit may have none
     * @param writer may have none
     */
    public JournalHealthIndicator(
            OutboxOperator outbox,
            Relay relay,
            OutboxLifecycle lifecycle,
            Duration threshold,
            ObjectProvider<JournalRestore> restore,
            ObjectProvider<AuditBuffer> audit,
            ObjectProvider<AuditWriter> writer) {
        super("Health check of the delay queue's journal failed");
        this.outbox = outbox;
        this.relay = relay;
        this.lifecycle = lifecycle;
        this.threshold = threshold;
        this.restore = restore;
        this.audit = audit;
        this.writer = writer;
    }

    @Override
    protected void doHealthCheck(Health.Builder builder) {
        boolean overdue = false;
        builder.withDetail("relay", lifecycle.isRunning() ? relay.isFailing() ? "failing" : "running" : "stopped");
        JournalRestore restores = restore.getIfAvailable();
        if (restores != null) {
            int losses = restores.losses().size();
            builder.withDetail("losses", losses);
            overdue |= losses > 0;
        }
        AuditBuffer buffer = audit.getIfAvailable();
        if (buffer != null) {
            boolean full = buffer.fill() >= AUDIT_IS_FULL;
            builder.withDetail("audit", full ? "full" : isAuditFailing() ? "failing" : "running")
                    .withDetail("auditDropped", buffer.dropped());
            overdue |= full;
        }
        // last, as it fails while the database is unavailable: the details above are shown beside the error
        OutboxStatus status = outbox.status();
        overdue |= status.lag().compareTo(threshold) > 0 || status.blocked() > 0;
        builder.withDetail("outboxLag", status.lag().toString()).withDetail("blocked", status.blocked());
        if (!lifecycle.isRunning()) {
            builder.down();
        } else if (overdue) {
            builder.status(OVERDUE);
        } else {
            builder.up();
        }
    }

    private boolean isAuditFailing() {
        AuditWriter present = writer.getIfAvailable();
        return present != null && present.isFailing();
    }
}
