package io.delayqueue.jdbc.relay;

import io.delayqueue.DuplicatePolicy;
import io.delayqueue.OutboxOperation;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.jdbc.outbox.Change;
import io.delayqueue.jdbc.outbox.MessageId;
import io.delayqueue.jdbc.support.JournalTransaction;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.dao.TransientDataAccessException;

/** Makes the operations to send from found or claimed rows, with the messages that they schedule. */
final class RowLoader {

    /** Rows whose messages are read at once; with the largest payloads, these are 64 MiB. */
    private static final int ROWS_AT_ONCE = 64;

    /** Payloads of a batch, as everywhere between client and Redis: after these no more are read. */
    private static final long MOST_BYTES = 4L << 20;

    private final JournalTransaction transaction;
    private final StoredMessages messages;
    private final UnsentRows rows;

    RowLoader(JournalTransaction transaction, StoredMessages messages, UnsentRows rows) {
        this.transaction = transaction;
        this.messages = messages;
        this.rows = rows;
    }

    /**
     * Rows that can be sent at once.
     *
     * @param rows the rows
     * @param rest those after them, which are to be loaded when these have been sent
     */
    record Loaded(List<RowInTransit> rows, List<UnsentRow> rest) {}

    /** Finds rows, and loads them as {@link #load} does. */
    Loaded load(Supplier<List<UnsentRow>> find) {
        try {
            return transaction.execute(() -> loadTogether(find.get()));
        } catch (DataAccessException e) {
            if (concernsAll(e)) {
                throw e;
            }
            return load(transaction.execute(find));
        }
    }

    /** Loads rows up to the bound of a batch's bytes, one at least. A row that the database can't read does not hold up the others. */
    Loaded load(List<UnsentRow> pending) {
        try {
            return transaction.execute(() -> loadTogether(pending));
        } catch (DataAccessException e) {
            if (concernsAll(e)) {
                throw e;
            }
            List<UnsentRow> first = pending.subList(0, Math.min(ROWS_AT_ONCE, pending.size()));
            return new Loaded(
                    first.stream().map(this::loadAlone).toList(), pending.subList(first.size(), pending.size()));
        }
    }

    private Loaded loadTogether(List<UnsentRow> pending) {
        List<RowInTransit> loaded = new ArrayList<>(pending.size());
        long bytes = 0;
        int from = 0;
        while (from < pending.size() && bytes < MOST_BYTES) {
            int to = Math.min(from + ROWS_AT_ONCE, pending.size());
            for (RowInTransit row : read(pending.subList(from, to))) {
                loaded.add(row);
                bytes += row.payloadBytes();
            }
            from = to;
        }
        return new Loaded(loaded, pending.subList(from, pending.size()));
    }

    private RowInTransit loadAlone(UnsentRow row) {
        try {
            return transaction.execute(() -> read(List.of(row)).get(0));
        } catch (DataAccessException e) {
            if (concernsAll(e)) {
                throw e;
            }
            return RowInTransit.unreadable(row, List.of(), List.of(), "the message can't be read: " + e.getMessage());
        }
    }

    private static boolean concernsAll(DataAccessException failure) {
        return failure instanceof TransientDataAccessException || failure instanceof DataAccessResourceFailureException;
    }

    private List<RowInTransit> read(List<UnsentRow> pending) {
        Map<MessageId, List<Change>> changes = new HashMap<>();
        Map<MessageId, String> unreadable = new HashMap<>();
        for (UnsentRow row : pending) {
            try {
                changes.put(row.key(), Change.decode(row.operations()));
            } catch (IllegalArgumentException e) {
                unreadable.put(row.key(), String.valueOf(e.getMessage()));
            }
        }
        List<MessageKey> scheduled = new ArrayList<>(pending.size());
        changes.forEach((key, ofKey) -> ofKey.forEach(change -> {
            if (change instanceof Change.Schedule) {
                scheduled.add(new MessageKey(key, change.token()));
            } else if (change instanceof Change.Restore restore) {
                scheduled.add(new MessageKey(key, restore.generation()));
            }
        }));
        boolean needsTime =
                changes.values().stream().flatMap(List::stream).anyMatch(Change.Reschedule.class::isInstance);
        Map<MessageKey, StoredMessage> found = messages.find(scheduled);
        long now = needsTime ? rows.now() : 0;
        return pending.stream()
                .map(row -> {
                    List<Change> ofRow = changes.get(row.key());
                    return ofRow == null
                            ? RowInTransit.unreadable(
                                    row, List.of(), List.of(), String.valueOf(unreadable.get(row.key())))
                            : inTransit(row, ofRow, found, now);
                })
                .toList();
    }

    private static RowInTransit inTransit(
            UnsentRow row, List<Change> changes, Map<MessageKey, StoredMessage> found, long now) {
        List<@Nullable OutboxOperation> operations = new ArrayList<>(changes.size());
        for (Change change : changes) {
            if (change instanceof Change.Schedule schedule) {
                StoredMessage message = found.get(new MessageKey(row.key(), schedule.token()));
                if (message == null) {
                    return RowInTransit.unreadable(row, changes, operations, "the message has no row in the journal");
                }
                if (message.finished()) {
                    operations.add(null);
                } else if (message.message() == null) {
                    return RowInTransit.unreadable(row, changes, operations, String.valueOf(message.error()));
                } else {
                    operations.add(new OutboxOperation.Schedule(message.message()));
                }
            } else if (change instanceof Change.Restore restore) {
                StoredMessage message = found.get(new MessageKey(row.key(), restore.generation()));
                if (message != null && !message.finished() && message.message() == null) {
                    return RowInTransit.unreadable(row, changes, operations, String.valueOf(message.error()));
                }
                operations.add(restore(restore, message));
            } else {
                try {
                    operations.add(operation(row.key(), change, now));
                } catch (RuntimeException e) {
                    return RowInTransit.unreadable(
                            row, changes, operations, "the change can't be sent: " + e.getMessage());
                }
            }
        }
        return RowInTransit.of(row, changes, operations);
    }

    /** Nothing to send if the message has ended. Whatever it says of duplicates: another message of its id stays. */
    private static @Nullable OutboxOperation restore(Change.Restore change, @Nullable StoredMessage stored) {
        if (stored == null || stored.finished() || stored.message() == null) {
            return null;
        }
        return new OutboxOperation.Schedule(restored(change, stored.message()), change.token());
    }

    private static OutgoingMessage restored(Change.Restore change, OutgoingMessage stored) {
        OutgoingMessage.Builder message =
                stored.toBuilder().generation(change.generation()).ifExists(DuplicatePolicy.REJECT);
        OutgoingMessage unmarked = message.build();
        try {
            return message.header(OutboxOperation.RESTORED_HEADER, change.token())
                    .build();
        } catch (IllegalArgumentException e) {
            // its headers are as large as they may be
            return unmarked;
        }
    }

    private static OutboxOperation operation(MessageId key, Change change, long now) {
        if (change instanceof Change.Reschedule reschedule) {
            return new OutboxOperation.Reschedule(
                    key.topic(),
                    key.id(),
                    reschedule.token(),
                    StoredMessages.delay(reschedule.dueMicros(), reschedule.instant(), now));
        }
        return new OutboxOperation.Cancel(key.topic(), key.id(), change.token());
    }
}
