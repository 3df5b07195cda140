package io.delayqueue.jdbc.restore;

import io.delayqueue.jdbc.MessageStatus;
import io.delayqueue.jdbc.restore.MessageComparison.DeadLetter;
import io.delayqueue.jdbc.support.JournalDatabase;
import io.delayqueue.jdbc.support.JournalTransaction;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** Runs statements of restores that only chance would run: a refill that goes on, a dead letter that nobody recorded, a comparison. */
public final class RareRestoreStatements {

    private RareRestoreStatements() {}

    /** For a topic, with an id that none of its messages has. */
    public static void run(JournalDatabase database, JournalTransaction transaction, String topic) {
        new KnownPartitions(database, transaction).refilling(topic, Map.of(0, "no epoch"), 1);
        RecordedMessage unknown =
                new RecordedMessage("none", "g0000000", MessageStatus.SCHEDULED, 1, false, 1, 1, 1, false);
        RecordedMessages recorded = new RecordedMessages(database, transaction);
        new RestoreWriter(database, transaction, recorded)
                .takeOverDeadLetters(topic, List.of(new DeadLetter(unknown, 1)));
        new NextComparison(database, transaction, recorded).left(Duration.ofHours(1));
    }
}
