package io.delayqueue.jdbc.audit;

import io.delayqueue.jdbc.JournalEvent;
import io.delayqueue.jdbc.JournalMessage;
import io.delayqueue.jdbc.MessageStatus;
import io.delayqueue.jdbc.MessageStory;
import io.delayqueue.jdbc.MessageStory.Entry;
import io.delayqueue.jdbc.dialect.Dialect;
import io.delayqueue.jdbc.support.JournalDatabase;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads stories. Every call belongs to a transaction of the caller. */
final class StoryReader {

    private static final int MOST_MESSAGES = 100;
    private static final int MOST_EVENTS = 1_000;

    private final JournalDatabase database;
    private final Dialect dialect;
    private final String messages;
    private final String events;

    StoryReader(JournalDatabase database) {
        this.database = database;
        this.dialect = database.dialect();
        String byKey = dialect.byIndex("PRIMARY") + " WHERE topic = ? AND id = ? ORDER BY ";
        this.messages =
                "SELECT " + JournalRows.COLUMNS + " FROM " + database.tables().message() + byKey
                        + "created DESC, updated DESC, generation" + dialect.limit(MOST_MESSAGES + 1);
        this.events = "SELECT event_time, generation, from_status, to_status, began, attempt, instance, error FROM "
                + database.tables().event() + byKey + "event_time DESC, sequence_no DESC"
                + dialect.limit(MOST_EVENTS + 1);
    }

    private record EventRow(String generation, JournalEvent event) {}

    MessageStory read(String topic, String id) {
        List<JournalMessage> rows = new ArrayList<>(database.jdbc()
                .sql(messages)
                .params(dialect.name(topic), dialect.name(id))
                .query((row, number) -> JournalRows.message(row, dialect))
                .list());
        List<EventRow> eventRows = new ArrayList<>(database.jdbc()
                .sql(events)
                .params(dialect.name(topic), dialect.name(id))
                .query((row, number) -> event(row))
                .list());
        boolean complete = cut(rows, MOST_MESSAGES) & cut(eventRows, MOST_EVENTS);
        Collections.reverse(rows);
        Collections.reverse(eventRows);
        Map<String, List<JournalEvent>> ofGeneration = new LinkedHashMap<>();
        eventRows.forEach(row -> ofGeneration
                .computeIfAbsent(row.generation(), generation -> new ArrayList<>())
                .add(row.event()));
        return new MessageStory(topic, id, entries(rows, ofGeneration), complete);
    }

    private static boolean cut(List<?> rows, int most) {
        if (rows.size() <= most) {
            return true;
        }
        rows.remove(most);
        return false;
    }

    /** Messages without a row come first: mostly, it was pruned. */
    private static List<Entry> entries(List<JournalMessage> rows, Map<String, List<JournalEvent>> events) {
        List<Entry> known = new ArrayList<>();
        for (JournalMessage row : rows) {
            List<JournalEvent> recorded = events.remove(row.generation());
            known.add(new Entry(row, row.generation(), withDerived(row, recorded == null ? List.of() : recorded)));
        }
        List<Entry> entries = new ArrayList<>();
        events.forEach((generation, of) -> entries.add(new Entry(null, generation, of)));
        entries.addAll(known);
        return entries;
    }

    private static List<JournalEvent> withDerived(JournalMessage row, List<JournalEvent> recorded) {
        List<JournalEvent> events = new ArrayList<>(recorded.size() + 2);
        events.add(derived(row.created(), null, MessageStatus.OUTBOX, null));
        events.addAll(recorded);
        Instant finished = row.finished();
        if (finished != null && recorded.stream().noneMatch(event -> event.to() == row.status())) {
            events.add(derived(finished, null, row.status(), row.reason()));
        }
        return events;
    }

    private static JournalEvent derived(
            Instant time, @Nullable MessageStatus from, MessageStatus to, @Nullable String error) {
        return new JournalEvent(time, from, to, null, null, null, error, true);
    }

    private static EventRow event(ResultSet row) throws SQLException {
        String from = row.getString("from_status");
        Long attempt = JournalRows.number(row, "attempt");
        return new EventRow(
                row.getString("generation"),
                new JournalEvent(
                        JournalRows.instant(row.getLong("event_time")),
                        from == null ? null : MessageStatus.of(from),
                        MessageStatus.of(row.getString("to_status")),
                        JournalRows.instantOrNull(row, "began"),
                        attempt == null ? null : attempt.intValue(),
                        row.getString("instance"),
                        row.getString("error"),
                        false));
    }
}
