package io.delayqueue.jdbc.outbox;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The changes of one id that a call adds to a row of the outbox.
 *
 * @param key the row
 * @param operations the changes as text
 * @param changes their number
 * @param generation generation of the last message scheduled, or null
 * @param trace trace of the last change that has one, or null
 */
record OutboxRow(
        MessageId key,
        String operations,
        int changes,
        @Nullable String generation,
        @Nullable String trace) {

    static OutboxRow of(MessageId key, Change change, @Nullable String trace) {
        return new OutboxRow(key, change.encode(), 1, change instanceof Change.Schedule ? change.token() : null, trace);
    }

    /** One row for each id, in the order of keys: no statement can change a row twice. */
    static Collection<OutboxRow> together(List<OutboxRow> rows) {
        Map<MessageId, OutboxRow> byKey = new TreeMap<>();
        rows.forEach(row -> byKey.merge(row.key, row, OutboxRow::then));
        return byKey.values();
    }

    private OutboxRow then(OutboxRow next) {
        return new OutboxRow(
                key,
                operations + next.operations,
                changes + next.changes,
                next.generation == null ? generation : next.generation,
                next.trace == null ? trace : next.trace);
    }
}
