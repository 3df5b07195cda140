package io.delayqueue.jdbc.relay;

import io.delayqueue.Delay;
import io.delayqueue.DuplicatePolicy;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.jdbc.dialect.Condition;
import io.delayqueue.jdbc.dialect.Dialect;
import io.delayqueue.jdbc.outbox.HeadersColumn;
import io.delayqueue.jdbc.outbox.MessageId;
import io.delayqueue.jdbc.support.JournalDatabase;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Reads messages that are to be sent. Every call belongs to a transaction of the caller. */
final class StoredMessages {

    private final JdbcClient jdbc;
    private final JournalDatabase database;
    private final Dialect dialect;
    private final String select;

    StoredMessages(JournalDatabase database) {
        this.database = database;
        this.jdbc = database.jdbc();
        this.dialect = database.dialect();
        this.select = "SELECT topic, id, generation, priority, max_attempts, time_to_live, duplicates, due,"
                + " due_is_instant, finished, headers, payload, " + dialect.nowMicros() + " AS now_micros FROM "
                + database.tables().message() + dialect.byIndex("PRIMARY") + " WHERE ";
    }

    /** Messages by their keys; those without a row are missing. */
    Map<MessageKey, StoredMessage> find(Collection<MessageKey> keys) {
        Map<MessageKey, StoredMessage> found = new HashMap<>();
        for (Condition condition : conditions(database, keys)) {
            jdbc.sql(select + condition.sql()).params(condition.parameters()).query(row -> {
                MessageKey key = new MessageKey(
                        new MessageId(dialect.name(row, "topic"), dialect.name(row, "id")),
                        row.getString("generation"));
                found.put(key, message(key, row));
            });
        }
        return found;
    }

    /** Conditions that find messages' rows. */
    static List<Condition> conditions(JournalDatabase database, Collection<MessageKey> keys) {
        Map<String, List<MessageKey>> topics = keys.stream()
                .collect(Collectors.groupingBy(key -> key.message().topic(), TreeMap::new, Collectors.toList()));
        return topics.entrySet().stream()
                .flatMap(topic -> database
                        .dialect()
                        .byGenerations(
                                database.tables().message(),
                                topic.getKey(),
                                topic.getValue().stream()
                                        .map(key -> key.message().id())
                                        .toList(),
                                topic.getValue().stream()
                                        .map(MessageKey::generation)
                                        .toList())
                        .stream())
                .toList();
    }

    private static StoredMessage message(MessageKey key, ResultSet row) throws SQLException {
        row.getLong("finished");
        boolean finished = !row.wasNull();
        try {
            return new StoredMessage(outgoing(key, row), finished, null);
        } catch (RuntimeException e) {
            return new StoredMessage(null, finished, "the message's row can't be read: " + e.getMessage());
        }
    }

    private static OutgoingMessage outgoing(MessageKey key, ResultSet row) throws SQLException {
        long due = row.getLong("due");
        long now = row.getLong("now_micros");
        boolean instant = row.getInt("due_is_instant") != 0;
        OutgoingMessage.Builder message = OutgoingMessage.to(key.message().topic())
                .id(key.message().id())
                .generation(key.generation())
                .payload(Objects.requireNonNull(row.getBytes("payload"), "payload"))
                .delay(delay(due, instant, now))
                .priority(row.getInt("priority"))
                .ifExists(DuplicatePolicy.valueOf(row.getString("duplicates")));
        int maxAttempts = row.getInt("max_attempts");
        if (!row.wasNull()) {
            message.maxAttempts(maxAttempts);
        }
        long timeToLive = row.getLong("time_to_live");
        if (!row.wasNull()) {
            // it counts from the due time, but Redis takes a message that is late for one that is due now
            long late = instant ? 0 : Math.max(0, now - due);
            message.timeToLive(Duration.of(Math.max(1, timeToLive - late), ChronoUnit.MICROS));
        }
        HeadersColumn.decode(row.getString("headers")).forEach(message::header);
        return message.build();
    }

    /** The delay that is left: the database's clock decides about durations, Redis' about instants. */
    static Delay delay(long dueMicros, boolean instant, long nowMicros) {
        if (instant) {
            return Delay.until(Instant.EPOCH.plus(dueMicros, ChronoUnit.MICROS));
        }
        return Delay.of(Duration.of(dueMicros - nowMicros, ChronoUnit.MICROS));
    }
}
