package io.delayqueue.jdbc.relay;

import io.delayqueue.OutboxAnswer.Outcome;
import io.delayqueue.PartitionMark;
import io.delayqueue.jdbc.outbox.Change;
import io.delayqueue.jdbc.outbox.MessageId;
import io.delayqueue.jdbc.support.JournalTransaction;
import io.delayqueue.jdbc.support.StorableText;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.springframework.dao.DataAccessException;

/** Records the outcomes of rows: removes sent changes, postpones rows that failed, and writes messages' states. */
final class RowRecorder {

    private static final long FIRST_PAUSE_MICROS = 1_000_000;
    static final long LONGEST_PAUSE_MICROS = Duration.ofMinutes(5).toNanos() / 1_000;

    /** Length of the column. */
    private static final int LONGEST_ERROR = 1_000;

    /** Others wait behind the thread that waits for a row. */
    private static final long PAUSE_AFTER_WAIT_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final JournalTransaction transaction;
    private final UnsentRows rows;
    private final MessageStates states;
    private final OutboxListener listener;
    private final int maxFailures;
    private long waitedInVainNanos = System.nanoTime() - PAUSE_AFTER_WAIT_NANOS;

    RowRecorder(
            JournalTransaction transaction,
            UnsentRows rows,
            MessageStates states,
            OutboxListener listener,
            int maxFailures) {
        this.transaction = transaction;
        this.rows = rows;
        this.states = states;
        this.listener = listener;
        this.maxFailures = maxFailures;
    }

    /**
     * Rows that are not done.
     *
     * @param toSend rows to read and send again now, since changes came after the sent ones
     * @param late rows to read and send again now, since they came too late
     * @param locked rows that other transactions hold: to be recorded again later
     */
    record Remaining(List<MessageId> toSend, List<MessageId> late, List<RowInTransit> locked) {}

    /**
     * The result of a transaction that records.
     *
     * @param toSend rows to read and send again
     * @param locked rows that other transactions hold
     * @param filling those of them that are half full
     * @param refused rows that failed
     */
    private record Recorded(
            List<MessageId> toSend, List<RowInTransit> locked, List<RowInTransit> filling, List<Refusal> refused) {

        static final Recorded NOTHING = new Recorded(List.of(), List.of(), List.of(), List.of());
    }

    /**
     * A row that failed.
     *
     * @param blocked whether it is not sent again by itself
     */
    private record Refusal(MessageId key, String error, boolean blocked) {}

    /**
     * Records in one transaction, which waits for no other one's locks on rows of the outbox. A row that is half full while it is locked
     * gets a second one, which waits.
     */
    Remaining record(Collection<RowInTransit> sent) {
        Map<MessageId, RowInTransit> open = new LinkedHashMap<>();
        sent.stream()
                .filter(row -> !row.sent().isEmpty() || row.error() != null)
                .forEach(row -> open.put(row.key(), row));
        List<MessageId> late = sent.stream()
                .filter(row -> row.isLate() && row.sent().isEmpty())
                .map(RowInTransit::key)
                .toList();
        if (open.isEmpty()) {
            return new Remaining(List.of(), late, List.of());
        }
        Recorded free = transaction.executeUnflushed(() -> recordOpen(new LinkedHashMap<>(open), rows::lock));
        tell(free.refused());
        if (free.filling().isEmpty()) {
            return new Remaining(free.toSend(), late, free.locked());
        }
        RowInTransit filling = free.filling().get(0);
        Recorded awaited = recordAfterOthers(filling);
        tell(awaited.refused());
        List<MessageId> toSend = new ArrayList<>(free.toSend());
        toSend.addAll(awaited.toSend());
        List<RowInTransit> locked = new ArrayList<>(free.locked());
        locked.remove(filling);
        locked.addAll(awaited.locked());
        return new Remaining(toSend, late, locked);
    }

    /**
     * Callers' transactions that wait for each other at a row leave it never free: what was sent would stay there, until the row takes no
     * more changes.
     */
    private Recorded recordAfterOthers(RowInTransit row) {
        Recorded stillLocked = new Recorded(List.of(), List.of(row), List.of(), List.of());
        if (System.nanoTime() - waitedInVainNanos < PAUSE_AFTER_WAIT_NANOS) {
            return stillLocked;
        }
        try {
            return transaction.executeOnce(
                    () -> recordOpen(new LinkedHashMap<>(Map.of(row.key(), row)), rows::lockAfterOthers));
        } catch (DataAccessException e) {
            waitedInVainNanos = System.nanoTime();
            return stillLocked;
        }
    }

    private void tell(List<Refusal> refused) {
        for (Refusal refusal : refused) {
            if (refusal.blocked()) {
                listener.blocked(refusal.key(), refusal.error());
            } else {
                listener.postponed(refusal.key(), refusal.error());
            }
        }
    }

    private Recorded recordOpen(
            Map<MessageId, RowInTransit> open, Function<Collection<MessageId>, List<UnsentRow>> lock) {
        leaveOutDoubtful(open);
        List<MessageId> done = new ArrayList<>(open.size());
        List<MessageId> toSend = new ArrayList<>();
        List<Refusal> refused = new ArrayList<>();
        List<RowInTransit> recorded = new ArrayList<>(open.size());
        for (UnsentRow now : lock.apply(open.keySet())) {
            RowInTransit row = Objects.requireNonNull(open.remove(now.key()));
            if (!now.operations().startsWith(row.row().operations())) {
                continue; // another relay has recorded it
            }
            recorded.add(row);
            if (row.isSent() && now.changes() == row.row().changes()) {
                done.add(now.key());
                continue;
            }
            int sent = row.sent().size();
            if (sent > 0) {
                rows.removeFirst(
                        now, sent, now.operations().substring(row.sentText().length()));
            }
            if (row.error() != null) {
                refused.add(postpone(row, sent > 0 ? 0 : now.failures()));
            } else {
                toSend.add(now.key());
            }
        }
        rows.delete(done);
        writeStates(recorded);
        List<SentChange> changes =
                recorded.stream().flatMap(row -> row.sent().stream()).toList();
        if (!changes.isEmpty()) {
            listener.sent(changes, List.copyOf(marks(recorded)));
        }
        List<UnsentRow> locked = lockedByOthers(open);
        return new Recorded(
                toSend,
                locked.stream().map(UnsentRow::key).map(open::get).toList(),
                locked.stream()
                        .filter(UnsentRow::isHalfFull)
                        .map(UnsentRow::key)
                        .map(open::get)
                        .toList(),
                refused);
    }

    /** Redis may have lost what it answered: such rows are sent again when the send timeout is over, and Redis knows those that it has. */
    private void leaveOutDoubtful(Map<MessageId, RowInTransit> open) {
        Set<PartitionMark> doubtful = listener.doubtful(marks(open.values()));
        if (!doubtful.isEmpty()) {
            open.values().removeIf(row -> row.marks().stream().anyMatch(doubtful::contains));
        }
    }

    private static Set<PartitionMark> marks(Collection<RowInTransit> rows) {
        Set<PartitionMark> marks = new LinkedHashSet<>();
        rows.forEach(row -> marks.addAll(row.marks()));
        return marks;
    }

    /** Rows that were not found are gone, or locked by another transaction. */
    private List<UnsentRow> lockedByOthers(Map<MessageId, RowInTransit> open) {
        open.values().removeIf(row -> row.sent().isEmpty());
        return open.isEmpty() ? List.of() : rows.existing(open.keySet());
    }

    private Refusal postpone(RowInTransit row, int formerFailures) {
        String text = StorableText.cut(String.valueOf(row.error()), LONGEST_ERROR);
        // a full topic takes the message when it is no longer full, however long that takes
        int failures =
                row.mayBeBlocked() ? formerFailures + 1 : Math.min(formerFailures + 1, Math.max(1, maxFailures / 2));
        boolean blocked = failures >= maxFailures;
        if (blocked) {
            rows.block(row.key(), failures, text);
            states.unsent(row.key(), true);
        } else {
            long pause = Math.min(FIRST_PAUSE_MICROS << Math.min(failures - 1, 20), LONGEST_PAUSE_MICROS);
            rows.postpone(row.key(), failures, pause, text);
        }
        return new Refusal(row.key(), text, blocked);
    }

    private void writeStates(List<RowInTransit> recorded) {
        List<MessageKey> scheduled = new ArrayList<>(recorded.size());
        for (RowInTransit row : recorded) {
            List<SentChange> sent = row.sent();
            if (sent.size() == 1 && isPlain(sent.get(0)) && !row.wasSentBefore(0)) {
                scheduled.add(new MessageKey(row.key(), sent.get(0).change().token()));
            } else {
                for (int i = 0; i < sent.size(); i++) {
                    writeState(sent.get(i), row.wasSentBefore(i), row.generationsBehind(i));
                }
            }
        }
        states.scheduled(scheduled);
    }

    private static boolean isPlain(SentChange sent) {
        return sent.change() instanceof Change.Schedule && sent.answer().outcome() == Outcome.SCHEDULED;
    }

    /** @param later what was sent after the change: the audit may know of it already */
    private void writeState(SentChange sent, boolean before, List<String> later) {
        Outcome outcome = sent.answer().outcome();
        if (sent.change() instanceof Change.Schedule schedule) {
            MessageKey key = new MessageKey(sent.key(), schedule.token());
            if (before) {
                // nobody recorded the answer; if another message gave way then, it is not in Redis any more
                states.replaced(key, later);
            } else {
                writeScheduled(key, outcome, later);
            }
        } else if (sent.change() instanceof Change.Reschedule reschedule) {
            if (outcome == Outcome.RESCHEDULED) {
                states.rescheduled(sent.key(), reschedule.dueMicros(), reschedule.instant(), later);
            } else if (outcome == Outcome.NOT_FOUND) {
                states.dueIfRestored(sent.key(), reschedule.dueMicros(), reschedule.instant(), later);
            }
        } else if (sent.change() instanceof Change.Restore) {
            return; // the journal took it for scheduled all the time; if another message has the id, a comparison tells
        } else if (outcome == Outcome.CANCELLED || outcome == Outcome.NOT_FOUND) {
            states.cancelled(sent.key(), later);
        }
    }

    private void writeScheduled(MessageKey key, Outcome outcome, List<String> later) {
        switch (outcome) {
            case KEPT -> states.refused(key, "KEPT");
            case REJECTED_DUPLICATE -> states.refused(key, "REJECTED");
            case REPLACED -> {
                states.replaced(key, later);
                states.scheduled(List.of(key));
            }
            default -> states.scheduled(List.of(key));
        }
    }
}
