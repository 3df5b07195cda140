package io.delayqueue.jdbc.actuate;

import io.delayqueue.jdbc.relay.OutboxLifecycle;
import io.delayqueue.jdbc.relay.OutboxOperator;
import io.delayqueue.jdbc.relay.OutboxStatus;
import io.delayqueue.jdbc.relay.QueuedHandOver;
import io.delayqueue.jdbc.relay.Relay;

/**
 * Tells of the outbox what the endpoint shows.
 *
 * @param outbox of all instances
 * @param handOver of this instance
 * @param relay of this instance
 * @param lifecycle of both
 */
public record OutboxReports(OutboxOperator outbox, QueuedHandOver handOver, Relay relay, OutboxLifecycle lifecycle) {

    /** Blocked ids shown. */
    private static final int MAX_BLOCKED = 20;

    OutboxDescriptor status(JournalDescriptors descriptors) {
        OutboxStatus status = outbox.status();
        return new OutboxDescriptor(
                status.lag(),
                status.blocked(),
                outbox.blocked(MAX_BLOCKED).stream().map(descriptors::blocked).toList(),
                handOver.waiting(),
                handOver.isFailing(),
                lifecycle.isRunning(),
                relay.isFailing());
    }

    UnblockDescriptor unblock(String topic, String id) {
        return new UnblockDescriptor(outbox.unblock(topic, id));
    }
}
