package io.delayqueue.jdbc.relay;

import io.delayqueue.Outbox;
import io.delayqueue.jdbc.outbox.CommittedChange;
import io.delayqueue.jdbc.outbox.HandOver;
import io.delayqueue.jdbc.outbox.MessageId;
import io.delayqueue.jdbc.support.JournalDatabase;
import io.delayqueue.jdbc.support.JournalLoop;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * Sends committed changes from a bounded queue of keys, on one thread. All that wait when the thread is free are sent together, so single
 * calls don't wait for others, and many make batches. Another thread records what was sent meanwhile.
 */
public final class QueuedHandOver implements HandOver, AutoCloseable {

    /** Rows that are looked at in one statement for changes that were refused. */
    private static final int MOST_LOOKED_AT = 1_000;

    private final BlockingQueue<CommittedChange> queue;
    private final OutboxPass pass;
    private final RedisTime time;
    private final OutboxSettings settings;
    private final OutboxListener listener;
    private final long sender;
    private final JournalLoop loop;
    private final Recording recording = new Recording("delayqueue-hand-over-recorder");

    /** Whether changes were refused: their rows are this sender's, and it will not send them. */
    private volatile boolean overflowed;

    /** Where the search for such rows goes on: it is interrupted by changes that can be sent. Of the thread alone. */
    private long freeFromMicros;

    /**
     * A hand-over that is not started yet.
     *
     * @param sender the number with which this process writes its rows
     */
    public QueuedHandOver(
            JournalDatabase database, Outbox outbox, OutboxListener listener, OutboxSettings settings, long sender) {
        this.queue = new LinkedBlockingQueue<>(settings.handOverCapacity());
        this.pass = new OutboxPass(database, outbox, listener, settings);
        this.time = new RedisTime(() -> outbox);
        this.settings = settings;
        this.listener = listener;
        this.sender = sender;
        this.loop = new JournalLoop("delayqueue-hand-over", new JournalLoop.Pass() {
            @Override
            public void runOnce() throws InterruptedException {
                sendWaiting();
            }

            @Override
            public boolean isDone() {
                return queue.isEmpty() && recording.isDone();
            }
        });
    }

    /** Starts the thread, again if it was closed. */
    public void start() {
        loop.start();
    }

    @Override
    public void offer(Collection<CommittedChange> changes) {
        int left = 0;
        long committed = System.nanoTime();
        for (CommittedChange change : changes) {
            change.answer()
                    .thenAccept(answer -> answer.ifPresent(
                            known -> listener.answered(Duration.ofNanos(System.nanoTime() - committed))));
            if (loop.isClosed() || !queue.offer(change)) {
                left++;
                change.answer().complete(Optional.empty());
            } else if (loop.isFailing()) {
                // it is tried, but nobody has to wait for that
                change.answer().complete(Optional.empty());
            }
        }
        if (left > 0) {
            overflowed = true;
            listener.leftToRelay(left);
        }
    }

    /** Else no relay would take them before the send timeout is over. Changes that came meanwhile are sent by the first to find them. */
    private void freeThoseWithoutRoom() {
        overflowed = false;
        boolean done = false;
        try {
            do {
                freeFromMicros = pass.freeOf(sender, freeFromMicros, settings.sendTimeoutMicros(), MOST_LOOKED_AT);
                done = freeFromMicros == 0;
            } while (!done && queue.isEmpty());
        } finally {
            if (!done) {
                overflowed = true;
            }
        }
    }

    /** Sends what waits, after waiting for something for the poll interval at most. */
    private void sendWaiting() throws InterruptedException {
        if (overflowed && queue.isEmpty()) {
            // those that are being recorded were taken before
            recording.awaitEnd();
            freeThoseWithoutRoom();
        }
        CommittedChange first =
                queue.poll(loop.isClosed() ? 0 : settings.pollInterval().toNanos(), TimeUnit.NANOSECONDS);
        if (first == null) {
            recording.await();
            repeat(pass.recordLocked(), Map.of());
            return;
        }
        List<CommittedChange> changes = new ArrayList<>();
        changes.add(first);
        queue.drainTo(changes, settings.batchSize() - 1);
        boolean handedOn = false;
        try {
            List<RowInTransit> sent = send(changes);
            if (sent.isEmpty()) {
                giveUp(changes);
            } else {
                recording.begin(() -> pass.idsWithLocked(sent), () -> record(sent, changes));
            }
            handedOn = true;
        } finally {
            if (!handedOn) {
                listener.leftToRelay(giveUp(changes));
            }
        }
    }

    /** On the thread that records. */
    private void record(List<RowInTransit> sent, List<CommittedChange> changes) {
        boolean recorded = false;
        try {
            repeat(pass.record(sent), byKey(changes));
            recorded = true;
        } finally {
            int unanswered = giveUp(changes);
            if (!recorded) {
                listener.leftToRelay(unanswered);
            }
        }
    }

    /** Sends the changes' rows, and records them but for the last ones, which it returns: as many as are read at once. */
    private List<RowInTransit> send(List<CommittedChange> changes) throws InterruptedException {
        Map<MessageId, List<CommittedChange>> waiting = byKey(changes);
        recording.awaitIfOf(waiting.keySet());
        // before the rows are read: others that claim them later do so after this time
        long readAfter = time.past();
        RowLoader.Loaded loaded = pass.find(waiting.keySet(), sender);
        List<MessageId> again = new ArrayList<>();
        while (!loaded.rest().isEmpty()) {
            recording.awaitEnd();
            again.addAll(pass.sendAndRecord(loaded.rows(), readAfter, row -> answer(waiting, row)));
            loaded = pass.load(loaded.rest());
        }
        repeat(again, waiting);
        pass.send(loaded.rows(), readAfter, row -> answer(waiting, row));
        return loaded.rows();
    }

    /** Also when it is closed: then it sends what waits. */
    private void repeat(List<MessageId> keys, Map<MessageId, List<CommittedChange>> waiting) {
        pass.repeat(keys, sender, time, row -> answer(waiting, row), () -> false);
    }

    private static Map<MessageId, List<CommittedChange>> byKey(List<CommittedChange> changes) {
        Map<MessageId, List<CommittedChange>> byKey = new HashMap<>();
        changes.forEach(change ->
                byKey.computeIfAbsent(change.key(), key -> new ArrayList<>(1)).add(change));
        return byKey;
    }

    private static void answer(Map<MessageId, List<CommittedChange>> waiting, RowInTransit row) {
        List<CommittedChange> changes = waiting.getOrDefault(row.key(), List.of());
        for (SentChange sent : row.sent()) {
            for (CommittedChange change : changes) {
                if (change.token().equals(sent.change().token())) {
                    change.answer().complete(Optional.of(sent.answer()));
                }
            }
        }
    }

    /** Changes without an answer were rolled back, sent with earlier ones of their id, or are the relay's now. */
    private static int giveUp(List<CommittedChange> changes) {
        int unanswered = 0;
        for (CommittedChange change : changes) {
            if (change.answer().complete(Optional.empty())) {
                unanswered++;
            }
        }
        return unanswered;
    }

    /** Changes that wait to be sent. */
    public int waiting() {
        return queue.size();
    }

    /** Whether the last pass failed: Redis or the database is unavailable, and changes are left to the relay until one succeeds. */
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
     * Sends the changes that wait, unless Redis or the database is unavailable, and ends the thread. The rest is left to a relay of any
     * process, and so are later changes, until it is started again.
     *
     * @param timeout time for sending
     */
    public void close(Duration timeout) {
        loop.close(timeout);
        List<CommittedChange> changes = new ArrayList<>();
        queue.drainTo(changes);
        if (!changes.isEmpty()) {
            listener.leftToRelay(giveUp(changes));
        }
    }
}
