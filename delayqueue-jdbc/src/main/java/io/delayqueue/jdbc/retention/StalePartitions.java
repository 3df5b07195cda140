package io.delayqueue.jdbc.retention;

import io.delayqueue.jdbc.dialect.Dialect;
import io.delayqueue.jdbc.support.JournalDatabase;
import io.delayqueue.jdbc.support.JournalTransaction;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * Deletes rows of ended instances, with the counters that they saw of Redis' partitions. Another row of the partition and epoch has
 * counters that are as high: the highest ones show a loss.
 */
final class StalePartitions {

    private static final long MIN_AGE_MICROS = TimeUnit.DAYS.toMicros(1);

    /** Old rows of a pass. Each start of an instance leaves a row a partition; the next pass goes on after those that stay. */
    private static final int MOST_ROWS = 1_000;

    /** Rows of no instance, whose names begin with this, are not touched. */
    private static final String MARK = "#";

    /** But those of topics that were deleted, when no message of theirs is known any more. */
    private static final String DELETED = MARK + "deleted";

    private final JdbcClient jdbc;
    private final JournalTransaction transaction;
    private final Dialect dialect;
    private final String findOld;
    private final String findOthers;
    private final String delete;
    private final long deletedMicros;
    private final int mostRows;

    /** Oldest rows that the present walk through the table has left. */
    private int left;

    /** @param longest retention of messages */
    StalePartitions(JournalDatabase database, JournalTransaction transaction, Duration longest) {
        this(database, transaction, longest, MOST_ROWS);
    }

    StalePartitions(JournalDatabase database, JournalTransaction transaction, Duration longest, int mostRows) {
        this.deletedMicros = longest.toMillis() * 1_000;
        this.mostRows = mostRows;
        this.jdbc = database.jdbc();
        this.transaction = transaction;
        this.dialect = database.dialect();
        String table = database.tables().partition();
        String columns = "SELECT topic, part, instance, epoch, sent, ended, updated FROM " + table;
        this.findOld = columns
                + dialect.byIndex(database.tables().unqualified() + "partition_updated")
                + " WHERE updated < ? ORDER BY updated";
        this.findOthers = columns + dialect.byIndex("PRIMARY") + " WHERE topic = ? AND part = ? AND epoch = ?";
        this.delete = dialect.deleteByKey(table) + " WHERE topic = ? AND part = ? AND instance = ? AND updated = ?";
    }

    /** Deletes rows that are not needed, and returns their number. */
    int delete(long nowMicros) {
        List<Row> old = transaction.execute(() -> jdbc.sql(findOld + dialect.limit(mostRows, left))
                .param(nowMicros - MIN_AGE_MICROS)
                .query(this::row)
                .list());
        int deleted = 0;
        for (Row row : old) {
            if (row.instance.equals(DELETED)) {
                deleted += row.updated < nowMicros - deletedMicros ? transaction.execute(() -> delete(row)) : 0;
            } else if (!row.instance.startsWith(MARK)) {
                deleted += transaction.execute(() -> deleteIfCovered(row));
            }
        }
        left = old.size() < mostRows ? 0 : left + mostRows - deleted;
        return deleted;
    }

    private int deleteIfCovered(Row row) {
        boolean covered =
                jdbc.sql(findOthers).params(dialect.name(row.topic), row.part, row.epoch).query(this::row).stream()
                        .anyMatch(row::isCoveredBy);
        return covered ? delete(row) : 0;
    }

    private int delete(Row row) {
        return jdbc.sql(delete)
                .params(dialect.name(row.topic), row.part, dialect.name(row.instance), row.updated)
                .update();
    }

    private Row row(ResultSet row, int number) throws SQLException {
        return new Row(
                dialect.name(row, "topic"),
                row.getInt("part"),
                dialect.name(row, "instance"),
                row.getString("epoch"),
                row.getLong("sent"),
                row.getLong("ended"),
                row.getLong("updated"));
    }

    private record Row(String topic, int part, String instance, String epoch, long sent, long ended, long updated) {

        /** Of two equal ones, one covers the other. */
        boolean isCoveredBy(Row other) {
            if (other.instance.equals(instance) || other.instance.startsWith(MARK)) {
                return false;
            }
            boolean equal = other.sent == sent && other.ended == ended;
            return other.sent >= sent && other.ended >= ended && (!equal || other.instance.compareTo(instance) > 0);
        }
    }
}
