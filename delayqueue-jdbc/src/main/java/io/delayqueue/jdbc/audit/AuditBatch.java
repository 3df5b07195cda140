package io.delayqueue.jdbc.audit;

import io.delayqueue.jdbc.support.JournalDatabase;
import io.delayqueue.jdbc.support.JournalTransaction;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.springframework.dao.DuplicateKeyException;

/**
 * Writes events, and updates messages' rows by them, in one transaction. The same events may be written again: after a failure it is
 * unknown whether they were written.
 */
final class AuditBatch {

    private final JournalDatabase database;
    private final JournalTransaction transaction;
    private final KnownGenerations generations;
    private final EventRows events;
    private final MessageUpdates messages;
    private final Consumer<List<AuditEvent>> alongside;

    /** @param alongside writes more in the transaction of a batch, which may be repeated */
    AuditBatch(
            JournalDatabase database,
            JournalTransaction transaction,
            Consumer<List<AuditEvent>> alongside,
            String instance) {
        this.database = database;
        this.transaction = transaction;
        this.generations = new KnownGenerations(database);
        this.events = new EventRows(database, instance);
        this.messages = new MessageUpdates(database);
        this.alongside = alongside;
    }

    void write(List<TimedEvent> batch) {
        try {
            write(batch, events::insertNew);
        } catch (DuplicateKeyException e) {
            // some were written before: an attempt whose commit was not answered
            write(batch, events::insertMissing);
        }
    }

    private void write(List<TimedEvent> batch, Consumer<List<TimedEvent>> insert) {
        transaction.execute(() -> {
            DatabaseTime now = DatabaseTime.now(database);
            List<TimedEvent> complete = generations.complete(batch, now);
            insert.accept(complete);
            messages.apply(changes(batch, complete, now));
            alongside.accept(complete.stream().map(TimedEvent::event).toList());
            return true;
        });
    }

    private record Key(String topic, String id, String generation, boolean exact) {}

    private static Collection<StateChange> changes(
            List<TimedEvent> batch, List<TimedEvent> complete, DatabaseTime now) {
        Map<Key, StateChange> changes = new LinkedHashMap<>();
        for (int i = 0; i < batch.size(); i++) {
            AuditEvent event = complete.get(i).event();
            String generation = event.generation();
            if (generation != null && event.changesState()) {
                boolean exact = batch.get(i).event().generation() != null;
                changes.merge(
                        new Key(event.topic(), event.id(), generation, exact),
                        StateChange.of(complete.get(i), generation, exact, now),
                        StateChange::and);
            }
        }
        return changes.values();
    }
}
