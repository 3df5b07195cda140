package io.delayqueue.jdbc.restore;

import io.delayqueue.jdbc.support.JournalLease;
import io.delayqueue.jdbc.support.JournalTransaction;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Lets one instance restore a topic. If it dies, another one begins again when the lease has ended. */
final class RestoreLease {

    private static final Duration DURATION = Duration.ofSeconds(15);
    private static final long RENEWED_NANOS = Duration.ofSeconds(4).toNanos();
    private static final long TOLD_NANOS = Duration.ofSeconds(1).toNanos();

    private final JournalLease lease;
    private final JournalTransaction transaction;
    private final JdbcClient jdbc;
    private final String name;
    private final String update;
    private final String select;
    private final BooleanSupplier stopping;
    private long heldNanos;
    private long toldNanos;

    /** A lease for scheduling a topic's messages again. */
    static RestoreLease ofRefill(RestoreContext context, String topic, BooleanSupplier stopping) {
        return new RestoreLease(context, "refill:", topic, stopping);
    }

    /** A lease for removing a topic's messages that ended and came back. */
    static RestoreLease ofRemoval(RestoreContext context, String topic, BooleanSupplier stopping) {
        return new RestoreLease(context, "restore:", topic, stopping);
    }

    /**
     * A lease that is not held.
     *
     * @param kind of work
     * @param stopping whether the application stops
     */
    private RestoreLease(RestoreContext context, String kind, String topic, BooleanSupplier stopping) {
        // a topic's name may be no ASCII
        this.name = kind + UUID.nameUUIDFromBytes(topic.getBytes(StandardCharsets.UTF_8));
        this.lease = new JournalLease(context.database(), context.transaction(), name);
        this.transaction = context.transaction();
        this.jdbc = context.database().jdbc();
        this.update = "UPDATE " + context.database().tables().lease() + " SET state = ? WHERE name = ?";
        this.select =
                "SELECT state FROM " + context.database().tables().lease() + " WHERE name = ? AND state IS NOT NULL";
        this.stopping = stopping;
    }

    boolean tryHold() {
        heldNanos = System.nanoTime();
        return lease.tryHold(DURATION);
    }

    /**
     * Renews the lease when it is time, and tells the progress.
     *
     * @param removed messages removed so far, which ended and came back
     */
    void keep(RestoreProgress progress, long removed) {
        if (stopping.getAsBoolean()) {
            throw new RestoreEndedException("the application stops, or the restore of a loss takes precedence");
        }
        long now = System.nanoTime();
        if (now - heldNanos > RENEWED_NANOS && !tryHold()) {
            throw new RestoreEndedException("another instance restores the topic");
        }
        if (now - toldNanos > TOLD_NANOS) {
            toldNanos = now;
            String state = RemovalProgress.text(progress, removed);
            transaction.execute(() -> jdbc.sql(update).params(state, name).update());
        }
    }

    /** The removal's progress, as the instance with the lease told it last. */
    RemovalProgress removal() {
        return transaction.execute(() -> jdbc.sql(select)
                .param(name)
                .query((row, number) -> RemovalProgress.of(row.getString(1)))
                .optional()
                .orElse(RemovalProgress.NONE));
    }

    void release() {
        lease.release();
    }
}
