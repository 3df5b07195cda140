package io.delayqueue.jdbc.audit;

import io.delayqueue.jdbc.MessageStatus;
import io.delayqueue.jdbc.dialect.RowInsert;
import io.delayqueue.jdbc.dialect.RowInsert.Type;
import io.delayqueue.jdbc.dialect.RowInserter;
import io.delayqueue.jdbc.support.JournalDatabase;
import java.util.Collection;
import java.util.Comparator;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.jdbc.core.JdbcTemplate;

/** Writes rows of events. */
final class EventRows {

    /** Generation of an event whose message the journal does not know. */
    static final String UNKNOWN_GENERATION = "-";

    /** As the primary key has them, so that transactions wait for each other in one order. */
    private static final Comparator<TimedEvent> ORDER = Comparator.comparing(
                    (TimedEvent event) -> event.event().topic())
            .thenComparing(event -> event.event().id())
            .thenComparingLong(TimedEvent::micros)
            .thenComparingLong(event -> event.event().sequence());

    private final RowInserter newRows;
    private final RowInserter missingRows;
    private final JdbcTemplate jdbc;
    private final String instance;

    EventRows(JournalDatabase database, String instance) {
        this.jdbc = new JdbcTemplate(database.dataSource());
        this.instance = instance;
        RowInsert insert = RowInsert.into(database.tables().event(), "topic", "id", "event_time", "sequence_no")
                .column("topic", Type.NAME)
                .column("id", Type.NAME)
                .column("event_time", Type.BIGINT)
                .column("sequence_no", Type.BIGINT)
                .column("generation", Type.ASCII)
                .column("from_status", Type.ASCII)
                .column("to_status", Type.ASCII)
                .column("began", Type.BIGINT)
                .column("attempt", Type.INTEGER)
                .column("instance", Type.ASCII)
                .column("error", Type.TEXT)
                .build();
        this.newRows = database.dialect().inserterOfNewRows(insert);
        this.missingRows = database.dialect().inserter(insert);
    }

    /**
     * Inserts rows of events that are written for the first time.
     *
     * @throws DuplicateKeyException if one is there, perhaps: it spoils the transaction
     */
    void insertNew(Collection<TimedEvent> events) {
        insert(newRows, events);
    }

    /** Inserts rows of events, some of which may be there. */
    void insertMissing(Collection<TimedEvent> events) {
        insert(missingRows, events);
    }

    private void insert(RowInserter inserter, Collection<TimedEvent> events) {
        inserter.insert(jdbc, events.stream().sorted(ORDER).map(this::row).toList());
    }

    private @Nullable Object[] row(TimedEvent timed) {
        AuditEvent event = timed.event();
        String generation = event.generation();
        MessageStatus from = event.from();
        return new @Nullable Object[] {
            event.topic(),
            event.id(),
            timed.micros(),
            event.sequence(),
            generation == null ? UNKNOWN_GENERATION : generation,
            from == null ? null : from.name(),
            event.to().name(),
            timed.beganMicros(),
            event.attempt(),
            instance,
            event.error()
        };
    }
}
