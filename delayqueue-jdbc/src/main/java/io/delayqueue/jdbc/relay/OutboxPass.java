package io.delayqueue.jdbc.relay;

import io.delayqueue.Outbox;
import io.delayqueue.jdbc.outbox.MessageId;
import io.delayqueue.jdbc.support.JournalDatabase;
import io.delayqueue.jdbc.support.JournalTransaction;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The way of rows from the outbox to Redis: read, load, send, record. Hand-over and relay share it; they differ in how they find rows.
 * One thread may read, load and send while another one records other rows.
 */
final class OutboxPass {

    /** Changes of one row that come while others of it are sent are sent in the same pass, but not without end. */
    private static final int MOST_ROUNDS = 16;

    /** Sent rows that other transactions hold. Rows that do not fit are left to a relay, which Redis tells that it knows them. */
    private static final int MOST_LOCKED = 10_000;

    /** Thousands of them take as long as a batch, and their transactions may last for minutes. */
    private static final long LOCKED_AGAIN_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** Said of a row that Redis finds too late, though it was read right before. */
    private static final String LATE =
            "Redis found it too late each time, though it was read right before: is the clock of a server of the"
                    + " Cluster ahead of the others' by more than the send timeout?";

    private final JournalTransaction transaction;
    private final UnsentRows rows;
    private final FreeRows free;
    private final RowLoader loader;
    private final RowSender sender;
    private final RowRecorder recorder;
    private final OutboxListener listener;
    private volatile List<RowInTransit> locked = List.of();
    private final LongSupplier nanoTime;
    private long lockedTriedNanos;

    /** Rows that came too late in the present round. */
    private final Set<MessageId> late = new LinkedHashSet<>();

    OutboxPass(JournalDatabase database, Outbox outbox, OutboxListener listener, OutboxSettings settings) {
        this(database, outbox, listener, settings, System::nanoTime);
    }

    OutboxPass(
            JournalDatabase database,
            Outbox outbox,
            OutboxListener listener,
            OutboxSettings settings,
            LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
        this.lockedTriedNanos = nanoTime.getAsLong();
        this.transaction = new JournalTransaction(database.dataSource(), database.dialect());
        this.rows = new UnsentRows(database);
        this.free = new FreeRows(database, rows);
        this.loader = new RowLoader(transaction, new StoredMessages(database), rows);
        this.sender = new RowSender(outbox);
        this.listener = listener;
        this.recorder =
                new RowRecorder(transaction, rows, new MessageStates(database), listener, settings.maxFailures());
    }

    /**
     * Finds those rows of the keys that are this sender's, sends them, and records what became of them.
     *
     * @return rows to send again, as {@link #sendAndRecord} returns them
     */
    List<MessageId> findAndSend(
            Collection<MessageId> keys, long sender, long readAfterMicros, Consumer<RowInTransit> answered) {
        RowLoader.Loaded loaded = find(keys, sender);
        List<MessageId> again = new ArrayList<>();
        if (!loaded.rows().isEmpty()) {
            again.addAll(sendAndRecord(loaded.rows(), readAfterMicros, answered));
        }
        while (!loaded.rest().isEmpty()) {
            loaded = load(loaded.rest());
            again.addAll(sendAndRecord(loaded.rows(), readAfterMicros, answered));
        }
        return again;
    }

    /** Finds those rows of the keys that are this sender's, and loads them, up to a batch's bound of bytes. */
    RowLoader.Loaded find(Collection<MessageId> keys, long sender) {
        return loader.load(() -> rows.find(keys, sender));
    }

    /**
     * Sends rows that {@link #sendAndRecord} returned, which would else wait until the send timeout is over, and those that this returns.
     *
     * @param ended whether to leave the rest to relays
     */
    void repeat(
            List<MessageId> keys, long sender, RedisTime time, Consumer<RowInTransit> answered, BooleanSupplier ended) {
        List<MessageId> open = keys;
        for (int round = 0; round < MOST_ROUNDS && !open.isEmpty() && !ended.getAsBoolean(); round++) {
            late.clear();
            open = findAndSend(open, sender, time.ask(), answered);
        }
        if (!ended.getAsBoolean()) {
            open.stream().filter(late::contains).forEach(key -> listener.postponed(key, LATE));
        }
    }

    /** Claims rows that are free, from a time on. */
    FreeRows.Claimed claim(long sender, long sendTimeoutMicros, long floorMicros, int limit) {
        return transaction.execute(() -> free.claim(sender, sendTimeoutMicros, floorMicros, limit));
    }

    /** Frees rows that would be free later than any may, and returns the database's time. */
    long freeThoseAhead(long longestMicros, int limit) {
        return transaction.execute(() -> free.freeThoseAhead(longestMicros, limit));
    }

    /** Frees rows that a sender of this process has, but will not send: see {@link FreeRows#freeOf}. */
    long freeOf(long sender, long fromMicros, long longestMicros, int limit) {
        return transaction.execute(() -> free.freeOf(sender, fromMicros, longestMicros, limit));
    }

    /** Loads rows, up to a batch's bound of bytes. */
    RowLoader.Loaded load(List<UnsentRow> pending) {
        return loader.load(pending);
    }

    /**
     * Sends rows and records what became of them.
     *
     * @param readAfterMicros a time of Redis before the rows were read or claimed
     * @param answered gets each row when Redis has answered, before that is recorded
     * @return rows to find and send again, after a new time of Redis: further changes came while these were sent, or these came too late
     * @throws RuntimeException if Redis took no row, or the database failed; what is not recorded will be sent again
     */
    List<MessageId> sendAndRecord(List<RowInTransit> loaded, long readAfterMicros, Consumer<RowInTransit> answered) {
        send(loaded, readAfterMicros, answered);
        return record(loaded);
    }

    /**
     * Sends rows.
     *
     * @param readAfterMicros a time of Redis before the rows were read or claimed
     * @param answered gets each row when Redis has answered
     * @throws RuntimeException if Redis took no row
     */
    void send(List<RowInTransit> loaded, long readAfterMicros, Consumer<RowInTransit> answered) {
        sender.send(loaded, readAfterMicros);
        loaded.forEach(answered);
    }

    /**
     * Records what became of rows that were sent, and from time to time of those that were locked.
     *
     * @return rows to find and send again, as {@link #sendAndRecord} returns them
     * @throws RuntimeException if Redis took no row, or the database failed; what is not recorded will be sent again
     */
    List<MessageId> record(List<RowInTransit> loaded) {
        boolean withLocked = loaded.isEmpty() || nanoTime.getAsLong() - lockedTriedNanos >= LOCKED_AGAIN_NANOS;
        List<RowInTransit> former = locked;
        List<RowInTransit> sent = new ArrayList<>(loaded);
        if (withLocked) {
            sent.addAll(0, former);
        }
        RowRecorder.Remaining remaining = recorder.record(sent);
        if (withLocked) {
            lockedTriedNanos = nanoTime.getAsLong();
        }
        locked = Stream.concat(withLocked ? Stream.of() : former.stream(), remaining.locked().stream())
                .limit(MOST_LOCKED)
                .toList();
        remaining.locked().forEach(RowInTransit::dropPayloads);
        throwIfRedisFailed(loaded);
        late.addAll(remaining.late());
        return Stream.concat(remaining.toSend().stream(), remaining.late().stream())
                .toList();
    }

    /** Parts of Redis may be away while others are not: as long as some rows get through, there is no reason to pause. */
    private static void throwIfRedisFailed(List<RowInTransit> loaded) {
        if (loaded.isEmpty() || loaded.stream().anyMatch(row -> row.failureOfRedis() == null)) {
            return;
        }
        throw Objects.requireNonNull(loaded.get(0).failureOfRedis());
    }

    /** Whether there are rows that are free, from a time on. A look at one index entry, which an idle relay makes. */
    boolean hasFree(long floorMicros) {
        return transaction.execute(() -> free.hasFree(floorMicros));
    }

    /** Bytes of payloads of sent rows that are kept, as other transactions hold these rows. */
    long lockedBytes() {
        return locked.stream().mapToLong(RowInTransit::payloadBytes).sum();
    }

    /** Number of sent rows that other transactions hold. */
    int locked() {
        return locked.size();
    }

    /** Ids of these rows, and of those that would be recorded with them. */
    Set<MessageId> idsWithLocked(List<RowInTransit> loaded) {
        return Stream.concat(loaded.stream(), locked.stream())
                .map(RowInTransit::key)
                .collect(Collectors.toSet());
    }

    /** Whether the outbox has no row. */
    boolean isEmpty() {
        return transaction.execute(rows::isEmpty);
    }

    /**
     * Records again those rows that other transactions held.
     *
     * @return rows to find and send now, since those transactions changed them
     */
    List<MessageId> recordLocked() {
        return locked.isEmpty() ? List.of() : sendAndRecord(List.of(), 0, row -> {});
    }
}
