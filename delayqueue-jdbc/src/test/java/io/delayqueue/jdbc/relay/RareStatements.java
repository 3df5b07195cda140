package io.delayqueue.jdbc.relay;

import io.delayqueue.jdbc.outbox.MessageId;
import io.delayqueue.jdbc.support.JournalDatabase;
import io.delayqueue.jdbc.support.JournalTransaction;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Runs statements of the relay that only chance would run: rows that are gone or locked, and an outbox that was idle for long. */
public final class RareStatements {

    private RareStatements() {}

    /** @param topic one with a row of this id */
    public static void run(JournalDatabase database, JournalTransaction transaction, String topic, String id) {
        UnsentRows rows = new UnsentRows(database);
        MessageId key = new MessageId(topic, id);
        transaction.execute(() -> new FreeRows(database, rows).freeOf(1, 0, TimeUnit.HOURS.toMicros(1), 10));
        transaction.run(() -> rows.postpone(key, 1, TimeUnit.DAYS.toMicros(1), "refused"));
        transaction.execute(() -> rows.existing(List.of(key)));
        transaction.execute(rows::isEmpty);
        transaction.execute(() -> new FreeRows(database, rows).freeThoseAhead(TimeUnit.HOURS.toMicros(1), 10));
    }
}
