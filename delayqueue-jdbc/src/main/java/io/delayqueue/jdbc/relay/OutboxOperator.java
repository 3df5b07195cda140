package io.delayqueue.jdbc.relay;

import io.delayqueue.jdbc.outbox.MessageId;
import io.delayqueue.jdbc.support.JournalDatabase;
import io.delayqueue.jdbc.support.JournalTransaction;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.OptionalLong;

/** The outbox for operators: shows its state, and unblocks ids whose changes are not sent any more. */
public final class OutboxOperator {

    /** Their rows are locked until they are all unblocked, and callers who change one of them wait. */
    private static final int BATCH = 500;

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
        return transaction.execute(() -> unblock(new MessageId(topic, id)));
    }

    /**
     * Lets relays send the changes of all blocked ids of a topic again. Each 500 ids are a transaction: if one fails, the batches before it
     * stay unblocked, and the call may be repeated. Ids that are blocked meanwhile may be left out.
     *
     * @return number of ids that were blocked
     */
    public int unblockAll(String topic) {
        int unblocked = 0;
        List<MessageId> batch;
        do {
            batch = transaction.execute(() -> blocked.find(topic, BATCH));
            unblocked += unblock(batch);
        } while (batch.size() == BATCH);
        return unblocked;
    }

    private int unblock(List<MessageId> batch) {
        return transaction.execute(
                () -> (int) batch.stream().sorted().filter(this::unblock).count());
    }

    private boolean unblock(MessageId key) {
        boolean unblocked = blocked.unblock(key);
        if (unblocked) {
            states.unsent(key, false);
        }
        return unblocked;
    }
}
