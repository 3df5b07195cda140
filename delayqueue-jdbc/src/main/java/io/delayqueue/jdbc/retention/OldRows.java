package io.delayqueue.jdbc.retention;

import io.delayqueue.jdbc.dialect.RowDelete;
import io.delayqueue.jdbc.support.JournalDatabase;
import io.delayqueue.jdbc.support.JournalTables;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/**
 * One kind of rows that are deleted some time after they are over.
 *
 * @param name the kind, for logs
 * @param rows the rows, whose condition ends with the earliest and the latest time of rows to delete
 * @param parameters the parameters before those
 * @param age how long after their end rows are kept
 */
record OldRows(String name, RowDelete rows, List<Object> parameters, Duration age) {

    /** All kinds. */
    static List<OldRows> of(JournalDatabase database, RetentionSettings settings) {
        JournalTables tables = database.tables();
        String index = tables.unqualified();
        // a relay that has been away sends changes only of messages that it finds
        String noChanges = "NOT EXISTS (SELECT 1 FROM " + tables.outbox() + " o"
                + database.dialect().byIndex("PRIMARY") + " WHERE o.topic = r.topic AND o.id = r.id)";
        List<OldRows> kinds = new ArrayList<>();
        new TreeMap<>(settings.messages())
                .forEach((status, age) -> kinds.add(new OldRows(
                        status,
                        new RowDelete(
                                tables.message(),
                                List.of("topic", "id", "generation"),
                                index + "message_finished",
                                "finished",
                                noChanges + " AND r.status = ? AND r.finished >= ? AND r.finished < ?"),
                        List.of(status),
                        age)));
        kinds.add(new OldRows(
                "events",
                new RowDelete(
                        tables.event(),
                        List.of("topic", "id", "event_time", "sequence_no"),
                        index + "event_time",
                        "event_time",
                        "r.event_time >= ? AND r.event_time < ?"),
                List.of(),
                settings.events()));
        kinds.add(new OldRows(
                "inbox",
                new RowDelete(
                        tables.inbox(),
                        List.of("topic", "id", "generation", "listener"),
                        index + "inbox_handled",
                        "handled",
                        "r.handled >= ? AND r.handled < ?"),
                List.of(),
                settings.inbox()));
        return kinds;
    }

    /** The parameters for rows from a time on, when the database's clock shows another one. */
    List<Object> parameters(long fromMicros, long nowMicros) {
        List<Object> all = new ArrayList<>(parameters);
        all.add(fromMicros);
        all.add(nowMicros - age.toMillis() * 1_000);
        return all;
    }
}
