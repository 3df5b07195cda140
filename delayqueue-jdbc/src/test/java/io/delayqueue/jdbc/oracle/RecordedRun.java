package io.delayqueue.jdbc.oracle;

import io.delayqueue.jdbc.oracle.Note.What;
import io.delayqueue.jdbc.oracle.Work.Kind;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.springframework.jdbc.core.JdbcTemplate;

/** The rows that the database has of a run. */
record RecordedRun(JdbcTemplate jdbc, Instances instances) {

    /** The recorded state of each version; calls without a transaction have their ids as versions. */
    Map<String, String> states() {
        Map<String, String> states = new HashMap<>();
        jdbc.query(
                "SELECT w.version, m.status FROM work_done w JOIN delayqueue_message m ON m.generation = w.generation",
                row -> {
                    states.put(row.getString("version"), row.getString("status"));
                });
        Set<String> versions = instances.notes().stream()
                .filter(note -> note.is(What.INTENDED))
                .map(Note::version)
                .collect(Collectors.toSet());
        jdbc.query("SELECT id, status FROM delayqueue_message", row -> {
            String id = text(row.getBytes("id"));
            if (versions.contains(id)) {
                states.put(id, row.getString("status"));
            }
        });
        return states;
    }

    /** The epoch that the journal expects of each partition. */
    Map<String, String> epochs() {
        Map<String, String> epochs = new HashMap<>();
        jdbc.query("SELECT topic, part, instance, epoch FROM delayqueue_partition", row -> {
            if (text(row.getBytes("instance")).equals("#epoch")) {
                epochs.put(text(row.getBytes("topic")) + ":" + row.getInt("part"), row.getString("epoch"));
            }
        });
        return epochs;
    }

    /** Topics that lost messages which have not come back yet. */
    Set<String> losses() {
        Set<String> topics = new HashSet<>();
        jdbc.query("SELECT topic, instance FROM delayqueue_partition", row -> {
            if (text(row.getBytes("instance")).equals("#refill")) {
                topics.add(text(row.getBytes("topic")));
            }
        });
        return topics;
    }

    /** A name as the database has it. */
    static String text(byte[] name) {
        return new String(name, StandardCharsets.UTF_8);
    }

    /** Messages that Redis has, as far as the journal knows. */
    int scheduled() {
        Integer scheduled = jdbc.queryForObject(
                "SELECT COUNT(*) FROM delayqueue_message WHERE status = 'SCHEDULED'", Integer.class);
        return scheduled == null ? 0 : scheduled;
    }

    /** Changes that are still to be sent: a text for each id. */
    List<Object> outbox() {
        return jdbc.queryForList("SELECT operations FROM delayqueue_outbox", Object.class);
    }

    /** Versions whose handlers' transactions were committed: more than once if a version had more than one effect. */
    List<String> effects() {
        return jdbc.queryForList("SELECT version FROM effects", String.class);
    }

    /** Committed changes, and calls without a transaction. */
    List<Work> work() {
        List<Work> work = new ArrayList<>(jdbc.query(
                "SELECT * FROM work_done",
                (row, number) -> new Work(
                        row.getLong("seq"),
                        row.getString("tx"),
                        row.getString("id"),
                        Kind.valueOf(row.getString("kind")),
                        row.getString("version"),
                        row.getLong("noted"),
                        row.getLong("due"),
                        true)));
        List<Note> notes = instances.notes();
        Set<String> promised = new HashSet<>();
        notes.stream().filter(note -> note.is(What.PROMISED)).forEach(note -> promised.add(note.version()));
        notes.stream()
                .filter(note -> note.is(What.INTENDED))
                .map(note -> new Work(
                        0,
                        note.instance(),
                        note.subject(),
                        Kind.SCHEDULE,
                        note.version(),
                        note.at(),
                        note.at() + note.number(),
                        promised.contains(note.version())))
                .forEach(work::add);
        return work;
    }

    /** Versions that Redis refused, as another message had their id. */
    Set<String> refused() {
        return new HashSet<>(jdbc.queryForList(
                "SELECT w.version FROM work_done w JOIN delayqueue_message m ON m.generation = w.generation"
                        + " WHERE m.status IN ('REJECTED', 'KEPT')",
                String.class));
    }

    /** Ids that have a row in the outbox. */
    Set<String> idsInOutbox() {
        return new HashSet<>(jdbc.query("SELECT id FROM delayqueue_outbox", (row, number) -> text(row.getBytes("id"))));
    }

    /** Columns of all events, by their names. */
    List<Map<String, String>> events() {
        return jdbc.queryForList("SELECT * FROM delayqueue_event").stream()
                .map(event -> {
                    Map<String, String> columns = new TreeMap<>();
                    event.forEach((name, value) -> columns.put(
                            name.toLowerCase(Locale.ROOT),
                            value instanceof byte[] bytes ? text(bytes) : String.valueOf(value)));
                    return columns;
                })
                .toList();
    }

    /** Ids of messages that are not sent, by their status. */
    List<Object> unsentMessages() {
        return jdbc.queryForList(
                "SELECT id FROM delayqueue_message WHERE status IN ('OUTBOX', 'BLOCKED')", Object.class);
    }
}
