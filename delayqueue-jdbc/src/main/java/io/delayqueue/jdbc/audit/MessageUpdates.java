package io.delayqueue.jdbc.audit;

import io.delayqueue.jdbc.MessageStatus;
import io.delayqueue.jdbc.dialect.Condition;
import io.delayqueue.jdbc.outbox.StatusList;
import io.delayqueue.jdbc.support.JournalDatabase;
import io.delayqueue.jdbc.support.RowUpdate;
import java.sql.Types;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * Brings messages' rows to the state of their latest event. A row never goes back: not by an event that is older than the last one, and not
 * from an end. An end counts whatever the clocks say, as nothing comes after it. Only an ack, which names its generation, takes precedence
 * over an end that was concluded from an id.
 */
final class MessageUpdates {

    private static final String IN_REDIS = StatusList.of(MessageStatus::isInRedis);

    /** An end that nobody recorded in time may turn out to be another one, or none. */
    private static final String NOT_ENDED =
            StatusList.of(status -> status.isUnsent() || status.isInRedis() || status == MessageStatus.UNRECORDED);

    private static final String LATER = " AND (state_time < ? OR (state_time = ? AND state_sequence < ?))";

    /** Largest number of messages of a statement. */
    private static final int MOST_ROWS = 500;

    private static final Comparator<StateChange> ORDER = Comparator.comparing(StateChange::topic)
            .thenComparing(StateChange::id)
            .thenComparing(StateChange::generation);

    private static final int[] TYPES_EXACT = {
        Types.VARCHAR,
        Types.INTEGER,
        Types.BIGINT,
        Types.INTEGER,
        Types.BIGINT,
        Types.BIGINT,
        Types.VARCHAR,
        Types.BIGINT,
        Types.BIGINT
    };

    private final JournalDatabase database;
    private final JdbcTemplate jdbc;
    private final RowUpdate acked;
    private final String exact;
    private final String ofId;

    MessageUpdates(JournalDatabase database) {
        this.database = database;
        this.jdbc = new JdbcTemplate(database.dataSource());
        String update =
                "UPDATE " + database.tables().message() + database.dialect().byIndex("PRIMARY") + " SET status = ?, ";
        this.acked = new RowUpdate(
                database.jdbc(),
                update + "attempts = ?, updated = ?, finished = ?, reason = NULL, state_time = ?, state_sequence = ?"
                        + " WHERE status <> 'ACKED' AND ");
        String change = update + "attempts = COALESCE(?, attempts), due = COALESCE(?, due),"
                + " due_is_instant = COALESCE(?, due_is_instant), updated = GREATEST(updated, ?), finished = ?, reason = ?,"
                + " state_time = ?, state_sequence = ? WHERE topic = ? AND id = ? AND generation = ? AND status IN ";
        this.exact = change + NOT_ENDED;
        this.ofId = change + IN_REDIS + " AND updated <= ?";
    }

    /** Changes rows, each at most once. */
    void apply(Collection<StateChange> changes) {
        List<StateChange> sorted = changes.stream().sorted(ORDER).toList();
        ack(sorted.stream()
                .filter(change -> change.status() == MessageStatus.ACKED)
                .toList());
        List<StateChange> others = sorted.stream()
                .filter(change -> change.status() != MessageStatus.ACKED)
                .toList();
        changeEach(others, true, true);
        changeEach(others, true, false);
        changeEach(others, false, true);
        changeEach(others, false, false);
    }

    private record AckGroup(String topic, int attempts) {}

    /** The way of nearly all messages: one statement for many, which get the time of the last of them. Their events have the exact ones. */
    private void ack(List<StateChange> changes) {
        Map<AckGroup, List<StateChange>> groups =
                new TreeMap<>(Comparator.comparing(AckGroup::topic).thenComparingInt(AckGroup::attempts));
        for (StateChange change : changes) {
            Integer attempts = change.attempts();
            groups.computeIfAbsent(
                            new AckGroup(change.topic(), attempts == null ? 1 : attempts), group -> new ArrayList<>())
                    .add(change);
        }
        groups.forEach((group, all) -> {
            for (int from = 0; from < all.size(); from += MOST_ROWS) {
                ack(group, all.subList(from, Math.min(from + MOST_ROWS, all.size())));
            }
        });
    }

    private void ack(AckGroup group, List<StateChange> changes) {
        StateChange last = changes.stream()
                .max(Comparator.comparingLong(StateChange::stateMicros))
                .orElseThrow();
        List<Object> values = List.of(
                MessageStatus.ACKED.name(),
                group.attempts(),
                last.updated(),
                last.updated(),
                last.stateMicros(),
                last.sequence());
        List<Condition> conditions = database.dialect()
                .byGenerations(
                        database.tables().message(),
                        group.topic(),
                        changes.stream().map(StateChange::id).toList(),
                        changes.stream().map(StateChange::generation).toList());
        acked.of(values, conditions, changes.size());
    }

    private void changeEach(List<StateChange> all, boolean byGeneration, boolean ends) {
        List<StateChange> changes = all.stream()
                .filter(change ->
                        change.exact() == byGeneration && change.status().hasEnded() == ends)
                .toList();
        if (changes.isEmpty()) {
            return;
        }
        String sql = (byGeneration ? exact : ofId) + (ends ? "" : LATER);
        jdbc.batchUpdate(sql, changes, changes.size(), (statement, change) -> {
            @Nullable Object[] values = values(change);
            int index = 0;
            for (; index < values.length; index++) {
                Object value = values[index];
                if (value == null) {
                    statement.setNull(index + 1, TYPES_EXACT[index]);
                } else {
                    statement.setObject(index + 1, value);
                }
            }
            statement.setObject(++index, database.dialect().name(change.topic()));
            statement.setObject(++index, database.dialect().name(change.id()));
            statement.setString(++index, change.generation());
            if (!byGeneration) {
                statement.setLong(++index, change.sentUntil());
            }
            if (!ends) {
                statement.setLong(++index, change.stateMicros());
                statement.setLong(++index, change.stateMicros());
                statement.setLong(++index, change.sequence());
            }
        });
    }

    private static @Nullable Object[] values(StateChange change) {
        Boolean instant = change.instant();
        return new @Nullable Object[] {
            change.status().name(),
            change.attempts(),
            change.due(),
            instant == null ? null : instant ? 1 : 0,
            change.updated(),
            change.status().isFinished() ? change.updated() : null,
            change.reason(),
            change.stateMicros(),
            change.sequence()
        };
    }
}
