package io.delayqueue.jdbc.relay;

import io.delayqueue.Outbox;
import io.delayqueue.jdbc.outbox.MessageId;
import io.delayqueue.jdbc.support.JournalDatabase;
import io.delayqueue.jdbc.support.JournalLoop;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Sends rows of the outbox that were not sent after their commit: their process died, its hand-over was full, or Redis was unavailable.
 * Any number of relays may run. One thread claims and reads a batch while another one sends the batch before.
 */
public final class Relay implements AutoCloseable {

    /** Rows may have become free before the last that was found, when a transaction commits late: each poll looks back by this. */
    private static final long LOOK_BACK_MICROS = TimeUnit.SECONDS.toMicros(5);

    /** Rows that would be free too late are freed in this number at once; the rest a minute later. */
    private static final int MOST_AHEAD = 10_000;

    /** Makes the thread of a drain; it takes none until there is a batch. */
    private static final ThreadFactory SENDERS = task -> {
        Thread thread = new Thread(task, "delayqueue-relay-sender");
        thread.setDaemon(true);
        return thread;
    };

    private final OutboxPass pass;
    private final RedisTime time;
    private final OutboxSettings settings;
    private final Outbox outbox;
    private final JournalLoop loop;

    /** Other than the hand-over's, which would take rows of the relay for its own. */
    private final long sender = ThreadLocalRandom.current().nextLong();

    /** The latest time at which a row that was found became free, for the next polls. */
    private long highestMicros;

    /** The time at which the next search begins. */
    private long floorMicros;

    private final Intervals intervals;
    private long forgotNanos = System.nanoTime();
    private long lookedAtAllNanos;

    /**
     * Intervals between what an idle relay does less often than it polls.
     *
     * @param lookAtAll time after which a poll looks at all rows again, those of transactions that committed very late included
     * @param forget time between looks for changes that Redis may forget, which it remembers for minutes
     */
    record Intervals(Duration lookAtAll, Duration forget) {

        static final Intervals DEFAULTS = new Intervals(Duration.ofMinutes(1), Duration.ofSeconds(30));
    }

    /** A relay that is not started yet. */
    public Relay(JournalDatabase database, Outbox outbox, OutboxListener listener, OutboxSettings settings) {
        this(database, outbox, listener, settings, Intervals.DEFAULTS);
    }

    Relay(
            JournalDatabase database,
            Outbox outbox,
            OutboxListener listener,
            OutboxSettings settings,
            Intervals intervals) {
        this.pass = new OutboxPass(database, outbox, listener, settings);
        this.time = new RedisTime(() -> outbox);
        this.settings = settings;
        this.outbox = outbox;
        this.intervals = intervals;
        this.lookedAtAllNanos = System.nanoTime() - intervals.lookAtAll().toNanos();
        this.loop = new JournalLoop("delayqueue-relay", this::poll);
    }

    /** Starts the relay, again if it was closed. */
    public void start() {
        loop.start();
    }

    private void poll() {
        if (runOnce() == 0
                && System.nanoTime() - forgotNanos >= intervals.forget().toNanos()) {
            forgotNanos = System.nanoTime();
            forgetIfEmpty();
        }
        loop.await(settings.pollInterval().toMillis());
    }

    /**
     * An idle topic leaves nothing in Redis: changes that were sent long ago are forgotten when there is nothing left to send. A row that
     * is left may stand for changes that were sent and not recorded, which Redis must know when they are sent again.
     */
    void forgetIfEmpty() {
        // before the look: changes that are written later are sent after this time
        long before = time.past();
        if (pass.isEmpty()) {
            RedisFailures.await(outbox.forget(before));
        }
    }

    /**
     * Sends all rows that are free.
     *
     * @return how many
     */
    public int runOnce() {
        floorMicros = beginningOfPoll();
        if (!pass.hasFree(floorMicros)) {
            repeat(pass.recordLocked());
            return 0;
        }
        int sent = 0;
        Future<?> previous = null;
        ExecutorService executor = Executors.newSingleThreadExecutor(SENDERS);
        try {
            boolean more = true;
            while (more && !loop.isClosed()) {
                // before the rows are claimed: others that claim them later do so after this time
                long readAfter = time.past();
                FreeRows.Claimed claimed =
                        pass.claim(sender, settings.sendTimeoutMicros(), floorMicros, settings.batchSize());
                more = claimed.more();
                sent += claimed.rows().size();
                floorMicros = claimed.reachedMicros();
                highestMicros = Math.max(highestMicros, floorMicros);
                List<UnsentRow> pending = claimed.rows();
                while (!pending.isEmpty()) {
                    RowLoader.Loaded loaded = pass.load(pending);
                    await(previous);
                    previous = executor.submit(() -> sendAndRecord(loaded.rows(), readAfter));
                    pending = loaded.rest();
                }
            }
        } finally {
            executor.shutdown();
            await(previous);
        }
        repeat(pass.recordLocked());
        return sent;
    }

    private long beginningOfPoll() {
        if (System.nanoTime() - lookedAtAllNanos >= intervals.lookAtAll().toNanos()) {
            // the clock may have been set back since the last look
            long now = pass.freeThoseAhead(settings.longestWaitMicros(), MOST_AHEAD);
            highestMicros = Math.min(highestMicros, now);
            lookedAtAllNanos = System.nanoTime();
            return 0;
        }
        return Math.max(0, highestMicros - LOOK_BACK_MICROS);
    }

    private void sendAndRecord(List<RowInTransit> rows, long readAfter) {
        repeat(pass.sendAndRecord(rows, readAfter, row -> {}));
    }

    private void repeat(List<MessageId> keys) {
        pass.repeat(keys, sender, time, row -> {}, loop::isClosed);
    }

    private static void await(@Nullable Future<?> sending) {
        if (sending == null) {
            return;
        }
        try {
            sending.get(2, TimeUnit.MINUTES);
        } catch (ExecutionException e) {
            throw FutureFailures.unchecked(e);
        } catch (TimeoutException e) {
            throw new IllegalStateException("sending a batch hangs", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("the relay is being closed", e);
        }
    }

    /** Number of sent rows that other transactions hold: a later poll records them, once they are free. */
    int locked() {
        return pass.locked();
    }

    /** Whether the last pass failed. */
    public boolean isFailing() {
        return loop.isFailing();
    }

    /** Whether it was started and not closed. */
    boolean isRunning() {
        return loop.isRunning();
    }

    /** Closes it with a timeout of 5 seconds. */
    @Override
    public void close() {
        close(Duration.ofSeconds(5));
    }

    /**
     * Ends the relay after the batch that it is at. It may be started again.
     *
     * @param timeout time for that batch
     */
    public void close(Duration timeout) {
        loop.close(timeout);
    }
}
