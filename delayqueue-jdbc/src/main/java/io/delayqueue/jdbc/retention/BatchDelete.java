package io.delayqueue.jdbc.retention;

import io.delayqueue.jdbc.dialect.Dialect;
import io.delayqueue.jdbc.dialect.RowDelete;
import io.delayqueue.jdbc.support.JournalDatabase;
import io.delayqueue.jdbc.support.JournalTransaction;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * Deletes one kind of old rows, a batch at a time. While a report or a dump holds an old snapshot, deleted rows stay in the index, at
 * its beginning; so each batch begins where the one before ended. For use by one thread.
 */
final class BatchDelete {

    /** Rows that were committed late, with a time before the beginning of batches, wait this long. */
    private static final long FROM_THE_FIRST_MICROS = TimeUnit.SECONDS.toMicros(10);

    private final JournalTransaction transaction;
    private final JdbcClient jdbc;
    private final OldRows kind;
    private final int most;
    private final String delete;
    private final String next;
    private long fromMicros;
    private long beganMicros;

    BatchDelete(JournalDatabase database, JournalTransaction transaction, OldRows kind, int most) {
        this.transaction = transaction;
        this.jdbc = database.jdbc();
        this.kind = kind;
        this.most = most;
        Dialect dialect = database.dialect();
        RowDelete rows = kind.rows();
        this.delete = dialect.delete(rows, most);
        this.next = "SELECT r." + rows.age() + " FROM " + rows.table() + " r" + dialect.byIndex(rows.index())
                + " WHERE " + rows.condition() + " ORDER BY r." + rows.age() + dialect.limit(1);
    }

    /**
     * Deletes the oldest rows, and returns their number.
     *
     * @param nowMicros the database's clock
     */
    int delete(long nowMicros) {
        if (nowMicros - beganMicros >= FROM_THE_FIRST_MICROS || nowMicros < beganMicros) {
            beganMicros = nowMicros;
            fromMicros = 0;
        }
        List<Object> parameters = kind.parameters(fromMicros, nowMicros);
        int deleted =
                transaction.execute(() -> jdbc.sql(delete).params(parameters).update());
        if (deleted > 0) {
            transaction
                    .execute(() ->
                            jdbc.sql(next).params(parameters).query(Long.class).optional())
                    .ifPresent(first -> fromMicros = first);
        }
        return deleted;
    }

    /** Whether so many rows may not have been all. */
    boolean mayLeaveMore(int deleted) {
        return deleted == most;
    }
}
