package io.delayqueue.jdbc.audit;

import io.delayqueue.jdbc.MessageStatus;
import io.delayqueue.jdbc.dialect.Condition;
import io.delayqueue.jdbc.outbox.MessageId;
import io.delayqueue.jdbc.support.JournalDatabase;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Finds the generation of an event that names an id only, such as a cancellation. Redis has one message of an id at a time: the one that
 * the journal knew as sent when the call began that made the change. A later one of the id is never taken for it, however late the answer
 * came, since its row changed when it was sent.
 */
final class KnownGenerations {

    /** More would be a statement that no server takes. */
    private static final int MOST_IDS = 500;

    private final JournalDatabase database;
    private final String select;

    KnownGenerations(JournalDatabase database) {
        this.database = database;
        this.select = "SELECT topic, id, generation, status, created, updated FROM "
                + database.tables().message() + database.dialect().byIndex("PRIMARY") + " WHERE ";
    }

    private record Row(String generation, MessageStatus status, long created, long updated) {}

    /** The events, those of ids with the generation that they concern, and with the state before if that is known. */
    List<TimedEvent> complete(List<TimedEvent> events, DatabaseTime now) {
        Map<MessageId, List<Row>> rows = rows(events);
        if (rows.isEmpty()) {
            return events;
        }
        List<TimedEvent> completed = new ArrayList<>(events.size());
        for (TimedEvent timed : events) {
            AuditEvent event = timed.event();
            if (event.generation() != null) {
                completed.add(timed);
                continue;
            }
            List<Row> known = rows.getOrDefault(new MessageId(event.topic(), event.id()), List.of());
            completed.add(find(known, event.to(), now.before(event.calledNanos()))
                    .map(row -> timed.with(event.of(event.id(), row.generation(), from(event, row))))
                    .orElse(timed));
        }
        return completed;
    }

    private static @Nullable MessageStatus from(AuditEvent event, Row row) {
        return event.from() == null && row.status().isInRedis() ? row.status() : event.from();
    }

    /**
     * Finds the message that an event is about, in three steps. It is the latest one that was sent before the call; else the first one
     * whose end the relay recorded after that; else the oldest one that the relay has sent and not recorded yet. In the last two cases,
     * the relay writes the row.
     */
    private static Optional<Row> find(List<Row> rows, MessageStatus to, long micros) {
        return rows.stream()
                .filter(row -> row.status().isInRedis() && row.updated() <= micros)
                .max(Comparator.comparingLong(Row::created))
                .or(() -> rows.stream()
                        .filter(row -> row.status() == to && row.updated() >= micros)
                        .min(Comparator.comparingLong(Row::updated)))
                .or(() -> rows.stream()
                        .filter(row ->
                                !row.status().isFinished() && !row.status().isInRedis())
                        .min(Comparator.comparingLong(Row::created)));
    }

    private Map<MessageId, List<Row>> rows(List<TimedEvent> events) {
        Map<String, Set<String>> topics = new TreeMap<>();
        for (TimedEvent timed : events) {
            if (timed.event().generation() == null) {
                topics.computeIfAbsent(timed.event().topic(), topic -> new TreeSet<>())
                        .add(timed.event().id());
            }
        }
        Map<MessageId, List<Row>> rows = new HashMap<>();
        topics.forEach((topic, ids) -> {
            List<String> all = List.copyOf(ids);
            for (int from = 0; from < all.size(); from += MOST_IDS) {
                read(topic, all.subList(from, Math.min(from + MOST_IDS, all.size())), rows);
            }
        });
        return rows;
    }

    private void read(String topic, List<String> ids, Map<MessageId, List<Row>> rows) {
        for (Condition condition : database.dialect().byIds(topic, ids)) {
            database.jdbc()
                    .sql(select + condition.sql())
                    .params(condition.parameters())
                    .query(row -> {
                        MessageId key = new MessageId(topic, database.dialect().name(row, "id"));
                        rows.computeIfAbsent(key, each -> new ArrayList<>(1))
                                .add(new Row(
                                        row.getString("generation"),
                                        MessageStatus.of(row.getString("status")),
                                        row.getLong("created"),
                                        row.getLong("updated")));
                    });
        }
    }
}
