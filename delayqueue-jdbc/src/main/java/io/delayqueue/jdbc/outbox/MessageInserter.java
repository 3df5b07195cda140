package io.delayqueue.jdbc.outbox;

import io.delayqueue.Delay;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.jdbc.MessageStatus;
import io.delayqueue.jdbc.dialect.RowInsert;
import io.delayqueue.jdbc.dialect.RowInsert.Type;
import io.delayqueue.jdbc.dialect.RowInserter;
import io.delayqueue.jdbc.support.JournalDatabase;
import io.delayqueue.jdbc.support.Micros;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.JdbcOperations;

/**
 * Inserts rows of messages. A message whose call is repeated keeps its row. If Redis refused it, since another message had its id, it is
 * to be sent again.
 */
final class MessageInserter {

    private static final String REFUSED = "{old.status} IN " + StatusList.of(MessageStatus::isRefused);

    private final RowInserter inserter;
    private final @Nullable String businessKey;

    MessageInserter(JournalDatabase database, @Nullable String businessKey) {
        String now = database.dialect().nowMicros();
        this.businessKey = businessKey;
        this.inserter = database.dialect()
                .inserter(RowInsert.into(database.tables().message(), "topic", "id", "generation")
                        .column("topic", Type.NAME)
                        .column("id", Type.NAME)
                        .column("generation", Type.ASCII)
                        .column("status", "'OUTBOX'")
                        .column("attempts", "0")
                        .column("priority", Type.INTEGER)
                        .column("max_attempts", Type.INTEGER)
                        .column("time_to_live", Type.BIGINT)
                        .column("duplicates", Type.ASCII)
                        // a duration counts from now by the database's clock, an instant does not
                        .column("due", "{due} + {relative} * (" + now + ")")
                        .parameter("due", Type.BIGINT)
                        .parameter("relative", Type.INTEGER)
                        .column("due_is_instant", Type.INTEGER)
                        // the order of an id's uses; those of one statement may have one time
                        .column("created", now + " + {former_uses}")
                        .parameter("former_uses", Type.INTEGER)
                        .column("updated", now)
                        .column("business_key", Type.NAME)
                        .column("headers", Type.TEXT)
                        .column("payload", Type.BINARY)
                        .update("finished", "CASE WHEN " + REFUSED + " THEN NULL ELSE {old.finished} END")
                        .update("created", "CASE WHEN " + REFUSED + " THEN {new.created} ELSE {old.created} END")
                        .update("due", "CASE WHEN " + REFUSED + " THEN {new.due} ELSE {old.due} END")
                        // the last one: MySQL's assignments see those before them
                        .update("status", "CASE WHEN " + REFUSED + " THEN 'OUTBOX' ELSE {old.status} END")
                        .build());
    }

    void insert(JdbcOperations jdbc, List<OutgoingMessage> messages) {
        Map<List<String>, @Nullable Object[]> rows = new LinkedHashMap<>();
        Map<MessageId, Integer> uses = new HashMap<>();
        for (OutgoingMessage message : messages) {
            int formerUses = uses.merge(new MessageId(message.topic(), message.id()), 1, Integer::sum) - 1;
            // the same message may be there twice
            rows.put(List.of(message.topic(), message.id(), message.generation()), row(message, formerUses));
        }
        inserter.insert(jdbc, List.copyOf(rows.values()));
    }

    private @Nullable Object[] row(OutgoingMessage message, int formerUses) {
        boolean instant = message.delay() instanceof Delay.At;
        return new @Nullable Object[] {
            message.topic(),
            message.id(),
            message.generation(),
            message.priority(),
            message.maxAttempts(),
            message.timeToLive() == null ? null : Micros.of(message.timeToLive()),
            message.duplicatePolicy().name(),
            Micros.of(message.delay()),
            instant ? 0 : 1,
            instant ? 1 : 0,
            formerUses,
            keyOf(message),
            HeadersColumn.encode(message.headers()),
            message.payload()
        };
    }

    private @Nullable String keyOf(OutgoingMessage message) {
        String key = businessKey == null ? null : message.headers().get(businessKey);
        return key == null ? null : BusinessKeys.stored(key);
    }
}
