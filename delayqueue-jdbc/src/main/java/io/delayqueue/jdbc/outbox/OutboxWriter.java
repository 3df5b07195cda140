package io.delayqueue.jdbc.outbox;

import io.delayqueue.Delay;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.jdbc.dialect.Dialect;
import io.delayqueue.jdbc.dialect.RowInsert;
import io.delayqueue.jdbc.dialect.RowInsert.Type;
import io.delayqueue.jdbc.dialect.RowInserter;
import io.delayqueue.jdbc.support.JournalDatabase;
import io.delayqueue.jdbc.support.Micros;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.ConcurrencyFailureException;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.jdbc.core.JdbcOperations;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * Writes rows of the outbox and of messages in the current transaction: two statements, however many messages. The outbox comes first:
 * transactions that change the same id wait for each other there.
 */
public final class OutboxWriter {

    private final Dialect dialect;
    private final WriteSettings settings;
    private final JdbcOperations jdbc;
    private final RowInserter outbox;
    private final RowInserter reschedules;
    private final MessageInserter messages;

    public OutboxWriter(JournalDatabase database, WriteSettings settings) {
        this.dialect = database.dialect();
        this.settings = settings;
        this.jdbc = new JdbcTemplate(database.dataSource());
        this.outbox = dialect.inserter(outbox(database)
                .column("generation", Type.ASCII)
                .column("operations", Type.ASCII)
                .column("changes", Type.INTEGER)
                .column("sender", Type.BIGINT)
                .column("trace", Type.ASCII)
                .update("generation", "COALESCE({new.generation}, {old.generation})")
                .build());
        this.reschedules = dialect.inserter(outbox(database)
                .column("operations", "CONCAT(CONCAT({operations}, {delay} + " + dialect.nowMicros() + "), ';')")
                .parameter("operations", Type.ASCII)
                .parameter("delay", Type.BIGINT)
                .column("changes", Type.INTEGER)
                .column("sender", Type.BIGINT)
                .column("trace", Type.ASCII)
                .build());
        this.messages = new MessageInserter(database, settings.businessKey());
    }

    /** An appended change leaves sender, send time and failures of its row as they are. */
    private RowInsert.Builder outbox(JournalDatabase database) {
        String now = dialect.nowMicros();
        return RowInsert.into(database.tables().outbox(), "topic", "id")
                .column("topic", Type.NAME)
                .column("id", Type.NAME)
                .column("send_at", now + " + " + Micros.of(settings.sendTimeout()))
                .column("created", now)
                .column("failures", "0")
                .update("operations", "CONCAT({old.operations}, {new.operations})")
                .update("changes", "{old.changes} + {new.changes}")
                .update("trace", "COALESCE({new.trace}, {old.trace})");
    }

    /** Records that messages shall be scheduled. Their traces are among their headers. */
    void schedule(List<OutgoingMessage> scheduled) {
        List<OutboxRow> rows = new ArrayList<>(scheduled.size());
        for (OutgoingMessage message : scheduled) {
            rows.add(OutboxRow.of(
                    new MessageId(message.topic(), message.id()),
                    new Change.Schedule(message.generation()),
                    TraceParent.of(message.headers())));
        }
        append(rows);
        try {
            messages.insert(jdbc, scheduled);
        } catch (DataAccessException e) {
            throw conflict(e);
        }
    }

    /** Records that messages shall be cancelled. */
    void cancel(List<CommittedChange> changes, @Nullable String trace) {
        append(changes.stream()
                .map(change -> OutboxRow.of(change.key(), new Change.Cancel(change.token()), trace))
                .toList());
    }

    /** Records that a message shall have a new due time. A duration is counted by the database's clock. */
    void reschedule(CommittedChange change, Delay delay, @Nullable String trace) {
        MessageId key = change.key();
        if (delay instanceof Delay.After after) {
            String operation = Change.Reschedule.prefix(change.token(), false);
            insert(
                    reschedules,
                    key,
                    List.<@Nullable Object[]>of(
                            row(key, operation, Micros.of(after.duration()), 1, settings.sender(), trace)));
        } else {
            append(List.of(OutboxRow.of(key, new Change.Reschedule(change.token(), Micros.of(delay), true), trace)));
        }
    }

    private void append(List<OutboxRow> rows) {
        List<@Nullable Object[]> parameters = new ArrayList<>(rows.size());
        for (OutboxRow row : OutboxRow.together(rows)) {
            parameters.add(
                    row(row.key(), row.generation(), row.operations(), row.changes(), settings.sender(), row.trace()));
        }
        insert(outbox, rows.get(0).key(), parameters);
    }

    private static @Nullable Object[] row(MessageId key, @Nullable Object... others) {
        @Nullable Object[] row = new Object[others.length + 2];
        row[0] = key.topic();
        row[1] = key.id();
        System.arraycopy(others, 0, row, 2, others.length);
        return row;
    }

    private void insert(RowInserter inserter, MessageId first, List<@Nullable Object[]> rows) {
        try {
            inserter.insert(jdbc, rows);
        } catch (DataIntegrityViolationException e) {
            if (dialect.isTooLong(e)) {
                throw new TooManyChangesException(first.topic(), first.id(), e);
            }
            throw e;
        } catch (DataAccessException e) {
            throw conflict(e);
        }
    }

    /** A conflict as the exception that callers' retries know, even if Spring does not know the database's code. */
    private DataAccessException conflict(DataAccessException failure) {
        return failure instanceof ConcurrencyFailureException || !dialect.isRepeatable(failure)
                ? failure
                : new ConcurrencyFailureException("another transaction changed the same message", failure);
    }
}
