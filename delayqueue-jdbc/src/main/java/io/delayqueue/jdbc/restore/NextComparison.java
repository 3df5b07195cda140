package io.delayqueue.jdbc.restore;

import io.delayqueue.jdbc.dialect.RowInsert;
import io.delayqueue.jdbc.dialect.RowInsert.Type;
import io.delayqueue.jdbc.dialect.RowInserter;
import io.delayqueue.jdbc.support.JournalDatabase;
import io.delayqueue.jdbc.support.JournalTransaction;
import io.delayqueue.jdbc.support.Micros;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * The time of the next comparison of all topics, in a row of the journal and by the database's clock. So an instance that starts goes on
 * with the interval that is running, however often instances start.
 */
final class NextComparison {

    static final String NAME = "next-comparison";

    private final JournalDatabase database;
    private final JournalTransaction transaction;
    private final RecordedMessages recorded;
    private final String select;
    private final RowInserter rows;

    NextComparison(JournalDatabase database, JournalTransaction transaction, RecordedMessages recorded) {
        this.database = database;
        this.transaction = transaction;
        this.recorded = recorded;
        String table = database.tables().lease();
        this.select = "SELECT expires FROM " + table + " WHERE name = ?";
        this.rows = database.dialect()
                .inserter(RowInsert.into(table, "name")
                        .column("name", Type.ASCII)
                        .column("expires", Type.BIGINT)
                        .update("expires", "{new.expires}")
                        .build());
    }

    /** The time until it, from zero to an interval. Begins an interval if none was begun. */
    Duration left(Duration interval) {
        Optional<Long> next = transaction.execute(
                () -> database.jdbc().sql(select).param(NAME).query(Long.class).optional());
        if (next.isPresent()) {
            Duration left = Duration.of(Math.max(0, next.get() - recorded.now()), ChronoUnit.MICROS);
            if (left.compareTo(interval) <= 0) {
                return left;
            }
        }
        // none was begun, or one that was longer, or when the database's clock was ahead
        begin(interval);
        return interval;
    }

    /** Begins an interval. */
    void begin(Duration interval) {
        long next = recorded.now() + Micros.of(interval);
        transaction.run(() ->
                rows.insert(new JdbcTemplate(database.dataSource()), List.<Object[]>of(new Object[] {NAME, next})));
    }
}
