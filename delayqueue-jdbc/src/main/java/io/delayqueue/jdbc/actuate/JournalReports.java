package io.delayqueue.jdbc.actuate;

import io.delayqueue.jdbc.relay.BlockedId;
import io.delayqueue.jdbc.relay.OutboxLifecycle;
import io.delayqueue.jdbc.relay.OutboxOperator;
import io.delayqueue.jdbc.relay.OutboxStatus;
import io.delayqueue.jdbc.relay.QueuedHandOver;
import io.delayqueue.jdbc.relay.Relay;
import org.springframework.boot.actuate.endpoint.SanitizableData;
import org.springframework.boot.actuate.endpoint.Sanitizer;
import org.springframework.boot.actuate.endpoint.SanitizingFunction;

/** Asks the journal, and maps its answers to the endpoint's descriptors: the only place that knows both. */
public final class JournalReports {

    /** Blocked ids shown. */
    private static final int MAX_BLOCKED = 20;

    private final OutboxOperator outbox;
    private final QueuedHandOver handOver;
    private final Relay relay;
    private final OutboxLifecycle lifecycle;
    private final Sanitizer sanitizer;

    /** @param sanitizingFunctions replace single values that are shown */
    public JournalReports(
            OutboxOperator outbox,
            QueuedHandOver handOver,
            Relay relay,
            OutboxLifecycle lifecycle,
            Iterable<SanitizingFunction> sanitizingFunctions) {
        this.outbox = outbox;
        this.handOver = handOver;
        this.relay = relay;
        this.lifecycle = lifecycle;
        this.sanitizer = new Sanitizer(sanitizingFunctions);
    }

    JournalStatusDescriptor status(boolean withValues) {
        OutboxStatus status = outbox.status();
        return new JournalStatusDescriptor(new OutboxDescriptor(
                status.lag(),
                status.blocked(),
                outbox.blocked(MAX_BLOCKED).stream()
                        .map(blocked -> descriptor(blocked, withValues))
                        .toList(),
                handOver.waiting(),
                handOver.isFailing(),
                lifecycle.isRunning(),
                relay.isFailing()));
    }

    private BlockedIdDescriptor descriptor(BlockedId blocked, boolean withValues) {
        return new BlockedIdDescriptor(
                blocked.topic(), blocked.id(), blocked.failures(), value("error", blocked.error(), withValues));
    }

    UnblockDescriptor unblock(String topic, String id) {
        return new UnblockDescriptor(outbox.unblock(topic, id));
    }

    private String value(String key, String value, boolean shown) {
        return String.valueOf(sanitizer.sanitize(new SanitizableData(null, key, value), shown));
    }
}
