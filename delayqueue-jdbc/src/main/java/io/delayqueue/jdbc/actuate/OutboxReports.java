package io.delayqueue.jdbc.actuate;

import io.delayqueue.jdbc.relay.BlockedId;
import io.delayqueue.jdbc.relay.OutboxLifecycle;
import io.delayqueue.jdbc.relay.OutboxOperator;
import io.delayqueue.jdbc.relay.OutboxStatus;
import io.delayqueue.jdbc.relay.QueuedHandOver;
import io.delayqueue.jdbc.relay.Relay;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataAccessException;
import org.springframework.transaction.TransactionException;

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

    /** The state of the outbox. While the database is unavailable, it has the parts that this instance knows by itself. */
    OutboxDescriptor status(JournalDescriptors descriptors) {
        @Nullable OutboxStatus status = null;
        List<BlockedId> blocked = List.of();
        @Nullable String error = null;
        try {
            status = outbox.status();
            blocked = outbox.blocked(MAX_BLOCKED);
        } catch (DataAccessException | TransactionException e) {
            error = e.getClass().getSimpleName() + ": "
                    + descriptors.valueOrNull("error", String.valueOf(e.getMessage()));
        }
        return new OutboxDescriptor(
                status == null ? null : status.lag(),
                status == null ? null : status.blocked(),
                blocked.stream().map(descriptors::blocked).toList(),
                error,
                handOver.waiting(),
                handOver.isFailing(),
                lifecycle.isRunning(),
                relay.isFailing());
    }

    /** Unblocks an id, or all of the topic. */
    UnblockDescriptor unblock(String topic, @Nullable String id) {
        return new UnblockDescriptor(id == null ? outbox.unblockAll(topic) : outbox.unblock(topic, id) ? 1 : 0);
    }
}
