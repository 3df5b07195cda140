package io.delayqueue.jdbc.retention;

import io.delayqueue.jdbc.support.JournalDatabase;
import io.delayqueue.jdbc.support.JournalLease;
import io.delayqueue.jdbc.support.JournalLoop;
import io.delayqueue.jdbc.support.JournalTransaction;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import org.springframework.context.SmartLifecycle;

/**
 * Deletes what the journal need not keep any longer, on a thread of its own. Of all instances one does so at a time. While there is more,
 * batches follow each other, a batch of each kind in turn, so that no kind waits for another.
 */
public final class Pruner implements SmartLifecycle, AutoCloseable {

    /** Time after which another instance goes on, if this one dies. Longer than a round of batches takes. */
    private static final Duration LEASE = Duration.ofMinutes(1);

    private final JournalDatabase database;
    private final JournalLease lease;
    private final RetentionSettings settings;
    private final StalePartitions partitions;
    private final List<BatchDelete> kinds;
    private final JournalLoop loop = new JournalLoop("delayqueue-pruner", this::pass);
    private final LongAdder pruned = new LongAdder();

    /** A pruner that is not started. */
    public Pruner(JournalDatabase database, JournalTransaction transaction, RetentionSettings settings) {
        this.database = database;
        this.lease = new JournalLease(database, transaction, "prune");
        this.settings = settings;
        this.partitions = new StalePartitions(database, transaction, settings.longestOfMessages());
        this.kinds = OldRows.of(database, settings).stream()
                .map(kind -> new BatchDelete(database, transaction, kind, settings.batchSize()))
                .toList();
    }

    private void pass() {
        if (!lease.tryHold(LEASE) || !runOnce()) {
            loop.await(settings.interval().toMillis());
        }
    }

    /**
     * Deletes a batch of each kind.
     *
     * @return whether there may be more to delete at once
     */
    boolean runOnce() {
        long nowMicros = database.nowMicros();
        boolean more = false;
        for (BatchDelete kind : kinds) {
            int rows = kind.delete(nowMicros);
            pruned.add(rows);
            more |= kind.mayLeaveMore(rows);
        }
        if (!more) {
            pruned.add(partitions.delete(nowMicros));
        }
        return more;
    }

    /** Number of rows that this instance has deleted since the start. */
    public long pruned() {
        return pruned.sum();
    }

    /** Whether the last pass failed, such as for an unavailable database. */
    public boolean isFailing() {
        return loop.isFailing();
    }

    @Override
    public void start() {
        loop.start();
    }

    @Override
    public void stop() {
        loop.close();
        if (!loop.isFailing()) {
            release();
        }
    }

    /** The next instance need not wait then. */
    private void release() {
        try {
            lease.release();
        } catch (RuntimeException e) {
            // it ends by itself
        }
    }

    @Override
    public void close() {
        stop();
    }

    @Override
    public boolean isRunning() {
        return loop.isRunning();
    }
}
