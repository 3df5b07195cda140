package io.delayqueue.jdbc.relay;

import io.delayqueue.jdbc.outbox.MessageId;
import io.delayqueue.jdbc.support.JournalDatabase;
import io.delayqueue.jdbc.support.JournalTransaction;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.OptionalLong;

/** What operators do with the outbox: look at it, and send again what was given up. */
public final class OutboxOperator {

    private final JournalTransaction transaction;
    private final UnsentRows rows;
    private final BlockedRows blocked;
    private final MessageStates states;

    public OutboxOperator(JournalDatabase database) {
        this.transaction = new JournalTransaction(database.dataSource(), database.dialect());
        this.rows = new UnsentRows(database);
        this.blocked = new BlockedRows(database);
        this.states = new MessageStates(database);
    }

    /** The outbox's state, by looks at the ends of an index. */
    public OutboxStatus status() {
        return transaction.execute(() -> {
            OptionalLong oldest = rows.oldestCreated();
            long lag = oldest.isPresent() ? Math.max(0, rows.now() - oldest.getAsLong()) : 0;
            return new OutboxStatus(
                    Duration.of(lag, ChronoUnit.MICROS),
                    blocked.find(OutboxStatus.MOST_BLOCKED).size());
        });
    }

    /** Blocked ids, up to a limit. */
    public List<BlockedId> blocked(int limit) {
        return transaction.execute(() -> blocked.find(limit));
    }

    /**
     * Lets a relay send the changes of a blocked id again.
     *
     * @return whether the id was blocked
     */
    public boolean unblock(String topic, String id) {
        MessageId key = new MessageId(topic, id);
        return transaction.execute(() -> {
            boolean unblocked = blocked.unblock(key);
            if (unblocked) {
                states.unsent(key, false);
            }
            return unblocked;
        });
    }
}
