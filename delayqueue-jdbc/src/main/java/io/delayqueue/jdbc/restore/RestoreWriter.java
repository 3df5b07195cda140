package io.delayqueue.jdbc.restore;

import io.delayqueue.OutboxOperation;
import io.delayqueue.jdbc.MessageStatus;
import io.delayqueue.jdbc.dialect.Condition;
import io.delayqueue.jdbc.dialect.Deletion;
import io.delayqueue.jdbc.dialect.Dialect;
import io.delayqueue.jdbc.dialect.RowInsert;
import io.delayqueue.jdbc.dialect.RowInsert.Type;
import io.delayqueue.jdbc.dialect.RowInserter;
import io.delayqueue.jdbc.outbox.Change;
import io.delayqueue.jdbc.support.JournalDatabase;
import io.delayqueue.jdbc.support.JournalTransaction;
import io.delayqueue.jdbc.support.RowUpdate;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Function;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * Writes the changes of a restore to the outbox, and leaves the sending to the relays. So a change of the application that is committed
 * meanwhile comes after them, and the changes of a killed restore are sent. Ids that have changes of their own are left alone: these
 * take precedence.
 */
final class RestoreWriter {

    private final JournalTransaction transaction;
    private final RecordedMessages messages;
    private final JdbcClient jdbc;
    private final JdbcTemplate template;
    private final Dialect dialect;
    private final RowInserter inserter;
    private final String outbox;
    private final String outboxTable;
    private final String message;
    private final RowUpdate unrecorded;
    private final boolean rangesAreHeld;

    RestoreWriter(JournalDatabase database, JournalTransaction transaction, RecordedMessages messages) {
        this.transaction = transaction;
        this.messages = messages;
        this.jdbc = database.jdbc();
        this.template = new JdbcTemplate(database.dataSource());
        this.dialect = database.dialect();
        this.outbox = database.tables().outbox() + dialect.byIndex("PRIMARY");
        this.outboxTable = database.tables().outbox();
        this.message = database.tables().message() + dialect.byIndex("PRIMARY");
        this.unrecorded = new RowUpdate(
                jdbc,
                "UPDATE " + message + " SET status = 'UNRECORDED', finished = " + dialect.nowMicros() + ", updated = "
                        + dialect.nowMicros()
                        + " WHERE finished IS NULL AND status IN ('SCHEDULED', 'IN_FLIGHT') AND ");
        this.rangesAreHeld = dialect.uncommittedSettings().isPresent();
        this.inserter = dialect.inserter(RowInsert.into(database.tables().outbox(), "topic", "id")
                .column("topic", Type.NAME)
                .column("id", Type.NAME)
                .column("generation", Type.ASCII)
                .column("operations", Type.ASCII)
                .column("changes", "1")
                .column("sender", Type.BIGINT)
                .column("send_at", dialect.nowMicros())
                .column("created", dialect.nowMicros())
                .column("failures", "0")
                .build());
    }

    /** Has messages scheduled again that are unfinished. The ids of those that will be. */
    Set<String> schedule(String topic, List<RecordedMessage> missing) {
        return write(
                topic,
                missing,
                recorded -> new Change.Restore(OutboxOperation.newToken(), recorded.generation()),
                (before, now) -> !now.finished());
    }

    /** Gives messages the due time that the journal has, unless that changed since. The ids of those that will get it. */
    Set<String> reschedule(String topic, List<RecordedMessage> others) {
        return write(
                topic,
                others,
                recorded -> new Change.Reschedule(
                        OutboxOperation.newToken(), recorded.dueMicros(), recorded.dueIsInstant()),
                (before, now) -> !now.finished() && now.dueMicros() == before.dueMicros());
    }

    /** Takes over due times of Redis, unless the journal got others meanwhile. */
    void takeOverDue(String topic, List<MessageComparison.OtherDue> others) {
        if (others.isEmpty()) {
            return;
        }
        transaction.run(() -> others.stream()
                .sorted(Comparator.comparing(other -> other.message().id()))
                .forEach(other -> jdbc.sql(
                                "UPDATE " + message + " SET due = ? WHERE topic = ? AND id = ? AND generation = ?"
                                        + " AND due = ? AND finished IS NULL")
                        .params(
                                other.dueMicros(),
                                dialect.name(topic),
                                dialect.name(other.message().id()),
                                other.message().generation(),
                                other.message().dueMicros())
                        .update()));
    }

    /** Takes over dead letters that nobody recorded, unless the messages' states changed meanwhile. */
    void takeOverDeadLetters(String topic, List<MessageComparison.DeadLetter> letters) {
        if (letters.isEmpty()) {
            return;
        }
        transaction.run(() -> letters.stream()
                .sorted(Comparator.comparing(letter -> letter.message().id()))
                .forEach(letter -> jdbc.sql("UPDATE " + message + " SET status = 'DEAD', finished = "
                                + dialect.nowMicros() + ", updated = " + dialect.nowMicros() + ", state_time = ?"
                                + " WHERE topic = ? AND id = ? AND generation = ? AND state_time = ?"
                                + " AND finished IS NULL AND status IN ('SCHEDULED', 'IN_FLIGHT')")
                        .params(
                                letter.sinceMicros(),
                                dialect.name(topic),
                                dialect.name(letter.message().id()),
                                letter.message().generation(),
                                letter.message().stateMicros())
                        .update()));
    }

    /** Has a dead message scheduled again, as one that was not dead and is due now. The number of those that will be. */
    int redrive(String topic, RecordedMessage dead) {
        return transaction.execute(() -> {
            Set<String> written = writeInTransaction(
                    topic,
                    List.of(dead),
                    recorded -> new Change.Restore(OutboxOperation.newToken(), recorded.generation()),
                    (before, now) -> now.status() == MessageStatus.DEAD);
            if (!written.isEmpty()) {
                jdbc.sql("UPDATE " + message + " SET status = 'SCHEDULED', finished = NULL, due = "
                                + dialect.nowMicros() + ", due_is_instant = 0, updated = " + dialect.nowMicros()
                                + " WHERE topic = ? AND id = ? AND generation = ?")
                        .params(dialect.name(topic), dialect.name(dead.id()), dead.generation())
                        .update();
            }
            return written.size();
        });
    }

    /** Whether a message may be changed that was found before. */
    private interface Check {
        boolean isStillSo(RecordedMessage before, RecordedMessage now);
    }

    /**
     * Those that are written. A caller's transaction may hold the row of an id for minutes, by a change that it did not commit: such ids
     * are left out, and hold up no other.
     */
    private Set<String> write(
            String topic, List<RecordedMessage> recorded, Function<RecordedMessage, Change> change, Check check) {
        if (recorded.isEmpty()) {
            return Set.of();
        }
        Set<String> held = messages.withUncommittedOutboxRow(
                topic, recorded.stream().map(RecordedMessage::id).distinct().toList());
        List<RecordedMessage> free = recorded.stream()
                .filter(message -> !held.contains(message.id()))
                .sorted(Comparator.comparing(RecordedMessage::id))
                .toList();
        return new UnheldWrites(transaction, rangesAreHeld, some -> writeInTransaction(topic, some, change, check))
                .write(free);
    }

    /** The rows are locked first; then the messages are looked at again, which other transactions may have changed before. */
    private Set<String> writeInTransaction(
            String topic, List<RecordedMessage> recorded, Function<RecordedMessage, Change> change, Check check) {
        long sender = ThreadLocalRandom.current().nextLong(Long.MAX_VALUE);
        Map<String, RecordedMessage> before = new HashMap<>();
        List<Object[]> rows = new ArrayList<>(recorded.size());
        recorded.stream().sorted(Comparator.comparing(RecordedMessage::id)).forEach(each -> {
            if (before.put(each.id(), each) == null) {
                rows.add(new Object[] {
                    topic, each.id(), each.generation(), change.apply(each).encode(), sender
                });
            }
        });
        inserter.insert(template, rows);
        Set<String> mine = inserted(topic, before.keySet(), sender);
        Map<String, List<RecordedMessage>> now = messages.inTransaction(topic, mine);
        List<String> others = new ArrayList<>();
        before.forEach((id, found) -> {
            boolean still = RecordedMessages.present(now.getOrDefault(id, List.of()))
                    .filter(present -> present.generation().equals(found.generation()))
                    .filter(present -> check.isStillSo(found, present))
                    .isPresent();
            if (mine.contains(id) && !still) {
                others.add(id);
            }
        });
        delete(topic, others);
        others.forEach(mine::remove);
        return mine;
    }

    private Set<String> inserted(String topic, Set<String> ids, long sender) {
        Set<String> mine = new HashSet<>();
        for (Condition condition : dialect.byIds(topic, List.copyOf(ids))) {
            mine.addAll(jdbc.sql("SELECT id FROM " + outbox + " WHERE " + condition.sql() + " AND sender = ?")
                    .params(condition.parameters())
                    .param(sender)
                    .query((row, number) -> dialect.name(row, "id"))
                    .list());
        }
        return mine;
    }

    private void delete(String topic, List<String> ids) {
        if (ids.isEmpty()) {
            return;
        }
        for (Deletion deletion : dialect.deleteByIds(outboxTable, topic, ids)) {
            jdbc.sql(deletion.sql()).params(deletion.parameters()).update();
        }
    }

    /** Finishes messages that ended in Redis while nobody recorded how. The number of them. */
    int unrecorded(String topic, List<RecordedMessage> ended) {
        if (ended.isEmpty()) {
            return 0;
        }
        List<String> ids = ended.stream().map(RecordedMessage::id).toList();
        List<String> generations =
                ended.stream().map(RecordedMessage::generation).toList();
        return transaction.execute(() ->
                unrecorded.of(List.of(), dialect.byGenerations(messageTable(), topic, ids, generations), ended.size()));
    }

    private String messageTable() {
        int hint = message.indexOf(' ');
        return hint < 0 ? message : message.substring(0, hint);
    }
}
