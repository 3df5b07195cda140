package io.delayqueue.jdbc.restore;

import io.delayqueue.jdbc.MessageStatus;
import io.delayqueue.jdbc.dialect.Condition;
import io.delayqueue.jdbc.dialect.Dialect;
import io.delayqueue.jdbc.support.JournalDatabase;
import io.delayqueue.jdbc.support.JournalTransaction;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Reads messages of the journal by pages and by ids, without their contents. */
final class RecordedMessages {

    /** Messages that Redis should have. Those of the outbox are not sent yet. */
    static final List<MessageStatus> UNFINISHED = List.of(MessageStatus.SCHEDULED, MessageStatus.IN_FLIGHT);

    private static final String COLUMNS =
            "SELECT id, generation, status, due, due_is_instant, created, updated, state_time, finished FROM ";

    private final JournalDatabase database;
    private final JournalTransaction transaction;
    private final JdbcClient jdbc;
    private final Dialect dialect;
    private final String byKey;
    private final String byDue;
    private final String outbox;

    RecordedMessages(JournalDatabase database, JournalTransaction transaction) {
        this.database = database;
        this.transaction = transaction;
        this.jdbc = database.jdbc();
        this.dialect = database.dialect();
        this.byKey = database.tables().message() + dialect.byIndex("PRIMARY");
        this.byDue =
                database.tables().message() + dialect.byIndex(database.tables().unqualified() + "message_due");
        this.outbox = database.tables().outbox() + dialect.byIndex("PRIMARY");
    }

    /**
     * A place in the order of due times.
     *
     * @param dueMicros after messages due earlier
     * @param id after messages due then whose id is not greater
     */
    record Position(long dueMicros, String id) {

        static final Position FIRST = new Position(Long.MIN_VALUE, "");

        /** The place after all messages that are due then. */
        static Position lastOf(long dueMicros) {
            return new Position(dueMicros, Character.toString(Character.MAX_CODE_POINT));
        }
    }

    /**
     * Some of a topic's messages.
     *
     * @param dueAfterMicros due after then
     * @param dueUntilMicros due until then
     */
    record Range(long dueAfterMicros, long dueUntilMicros) {

        static final Range ALL = new Range(Long.MIN_VALUE, Long.MAX_VALUE);

        static Range until(long dueMicros) {
            return new Range(Long.MIN_VALUE, dueMicros);
        }

        static Range after(long dueMicros) {
            return new Range(dueMicros, Long.MAX_VALUE);
        }

        Position beginning() {
            return dueAfterMicros == Long.MIN_VALUE ? Position.FIRST : Position.lastOf(dueAfterMicros);
        }
    }

    /** The database's time in µs. */
    long now() {
        return transaction.execute(database::nowMicros);
    }

    /** Messages of a status after a position that are due until a time, those due soonest first. */
    List<RecordedMessage> page(String topic, MessageStatus status, Position after, long dueUntilMicros, int limit) {
        return transaction.execute(() -> jdbc.sql(COLUMNS + byDue
                        + " WHERE status = ? AND topic = ? AND due >= ? AND due <= ? AND (due > ? OR id > ?)"
                        + " ORDER BY due, id" + dialect.limit(limit))
                .params(
                        status.name(),
                        dialect.name(topic),
                        after.dueMicros(),
                        dueUntilMicros,
                        after.dueMicros(),
                        dialect.name(after.id()))
                .query((row, number) -> message(row))
                .list());
    }

    /** Number of messages of a status after a position, counted to a limit. */
    long count(String topic, MessageStatus status, Position after, long dueUntilMicros, int limit) {
        return transaction.execute(() -> jdbc.sql("SELECT COUNT(*) FROM (SELECT id FROM " + byDue
                        + " WHERE status = ? AND topic = ? AND due >= ? AND due <= ?" + dialect.limit(limit) + ") c")
                .params(status.name(), dialect.name(topic), after.dueMicros(), dueUntilMicros)
                .query(Long.class)
                .single());
    }

    /** All uses of ids. */
    Map<String, List<RecordedMessage>> ofIds(String topic, Collection<String> ids) {
        return transaction.execute(() -> inTransaction(topic, ids));
    }

    /** As {@link #ofIds}, in the caller's transaction. */
    Map<String, List<RecordedMessage>> inTransaction(String topic, Collection<String> ids) {
        Map<String, List<RecordedMessage>> found = new HashMap<>();
        for (Condition condition : dialect.byIds(topic, List.copyOf(ids))) {
            jdbc.sql(COLUMNS + byKey + " WHERE " + condition.sql())
                    .params(condition.parameters())
                    .query((row, number) -> message(row))
                    .list()
                    .forEach(message -> found.computeIfAbsent(message.id(), id -> new ArrayList<>())
                            .add(message));
        }
        return found;
    }

    /** The use of an id that Redis should know: the last one that it took. */
    static Optional<RecordedMessage> present(List<RecordedMessage> uses) {
        return uses.stream()
                .filter(message -> !message.status().isRefused())
                // of uses in one statement, which have one time, the one that has not ended
                .max(Comparator.comparingLong(RecordedMessage::createdMicros)
                        .thenComparing(message -> !message.finished()));
    }

    /** Those of the ids that have changes which were not sent yet. */
    Set<String> withOutboxRow(String topic, Collection<String> ids) {
        return transaction.execute(() -> outboxRows(topic, ids));
    }

    /** The same with changes that are not committed, where the database shows them; else none. */
    Set<String> withUncommittedOutboxRow(String topic, Collection<String> ids) {
        return transaction.readUncommitted(() -> outboxRows(topic, ids)).orElse(Set.of());
    }

    private Set<String> outboxRows(String topic, Collection<String> ids) {
        Set<String> found = new HashSet<>();
        for (Condition condition : dialect.byIds(topic, List.copyOf(ids))) {
            found.addAll(jdbc.sql("SELECT id FROM " + outbox + " WHERE " + condition.sql())
                    .params(condition.parameters())
                    .query((row, number) -> dialect.name(row, "id"))
                    .list());
        }
        return found;
    }

    /** The first topic after this one that has a message of the status, by one look at an index. */
    Optional<String> topicAfter(String topic, MessageStatus status) {
        return transaction.execute(() -> jdbc
                .sql("SELECT topic FROM " + byDue + " WHERE status = ? AND topic > ? ORDER BY topic" + dialect.limit(1))
                .params(status.name(), dialect.name(topic))
                .query((row, number) -> dialect.name(row, "topic"))
                .list()
                .stream()
                .findFirst());
    }

    private RecordedMessage message(ResultSet row) throws SQLException {
        row.getLong("finished");
        boolean finished = !row.wasNull();
        return new RecordedMessage(
                dialect.name(row, "id"),
                row.getString("generation"),
                MessageStatus.of(row.getString("status")),
                row.getLong("due"),
                row.getInt("due_is_instant") != 0,
                row.getLong("created"),
                row.getLong("updated"),
                row.getLong("state_time"),
                finished);
    }
}
