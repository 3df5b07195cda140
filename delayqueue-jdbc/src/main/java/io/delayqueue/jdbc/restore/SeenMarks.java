package io.delayqueue.jdbc.restore;

import io.delayqueue.PartitionMark;
import io.delayqueue.jdbc.dialect.Dialect;
import io.delayqueue.jdbc.dialect.RowInsert;
import io.delayqueue.jdbc.dialect.RowInsert.Type;
import io.delayqueue.jdbc.dialect.RowInserter;
import io.delayqueue.jdbc.support.JournalDatabase;
import io.delayqueue.jdbc.support.JournalTransaction;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.ConcurrencyFailureException;
import org.springframework.jdbc.core.JdbcOperations;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * The highest marks (epoch and counters) of partitions that this instance saw, in memory and in rows of its own. They are written in the
 * transactions that record what they stand for, messages that were sent and messages that ended, and for the epoch only that the journal
 * expects: rows of a former one show what Redis lost. Safe for use by several threads.
 */
public final class SeenMarks {

    private static final Comparator<PartitionMark> ORDER = Comparator.comparing(PartitionKey::of);

    /** The first marks of a topic are seen before its rows are committed. */
    private static final long GONE_NANOS = TimeUnit.HOURS.toNanos(1);

    private final String instance;
    private final JdbcOperations template;
    private final KnownPartitions known;
    private final ExpectedEpochs expected;
    private final RowInserter seen;
    private final HighestMarks highest = new HighestMarks();
    private final WrittenMarks sentRows;
    private final WrittenMarks endedRows;
    private final Map<String, Long> goneSince = new ConcurrentHashMap<>();
    private final LongSupplier nanoTime;

    /**
     * Marks that an instance saw.
     *
     * @param instance name of the process, without {@code #} at its beginning
     */
    public SeenMarks(JournalDatabase database, String instance) {
        this(database, instance, System::nanoTime);
    }

    SeenMarks(JournalDatabase database, String instance, LongSupplier nanoTime) {
        this.instance = instance;
        this.nanoTime = nanoTime;
        this.sentRows = new WrittenMarks(nanoTime);
        this.endedRows = new WrittenMarks(nanoTime);
        this.template = new JdbcTemplate(database.dataSource());
        Dialect dialect = database.dialect();
        this.known = new KnownPartitions(database, new JournalTransaction(database.dataSource(), dialect));
        this.expected = new ExpectedEpochs(database);
        this.seen = dialect.inserter(row(database)
                .update("sent", greatest("sent"))
                .update("ended", greatest("ended"))
                .update("updated", dialect.nowMicros())
                // after the others: MySQL takes its new value from here on
                .update("epoch", "{new.epoch}")
                .build());
    }

    static RowInsert.Builder row(JournalDatabase database) {
        return RowInsert.into(database.tables().partition(), "topic", "part", "instance")
                .column("topic", Type.NAME)
                .column("part", Type.INTEGER)
                .column("instance", Type.NAME)
                .column("epoch", Type.ASCII)
                .column("sent", Type.BIGINT)
                .column("ended", Type.BIGINT)
                .column("updated", database.dialect().nowMicros());
    }

    private static String greatest(String column) {
        return "CASE WHEN {old.epoch} = {new.epoch} AND {old." + column + "} > {new." + column + "} THEN {old." + column
                + "} ELSE {new." + column + "} END";
    }

    /** Keeps a mark in memory. Neither blocks nor calls the database. */
    public void note(PartitionMark mark) {
        highest.note(mark);
    }

    /** A loss that showed in an epoch is being repaired, so what was seen in it tells nothing more. */
    void forget(String topic, int partition, @Nullable String epoch) {
        highest.forget(new PartitionKey(topic, partition), epoch);
    }

    /** The highest mark of a partition that this instance saw in an epoch; null if it saw none. */
    @Nullable
    PartitionMark of(String topic, int partition, @Nullable String epoch) {
        return highest.of(new PartitionKey(topic, partition), epoch);
    }

    /**
     * Marks of another epoch than the journal expects. The first epoch of a partition is expected from then on, unless the topic was
     * deleted and this instance saw that epoch before.
     *
     * @param marks of answers that are to be recorded in the caller's transaction
     */
    Set<PartitionMark> doubtful(Collection<PartitionMark> marks) {
        List<PartitionMark> some = marks.stream()
                .filter(mark -> mark.epoch() != null)
                .sorted(ORDER)
                .toList();
        Map<PartitionKey, String> epochs = expected.of(some);
        List<PartitionMark> unknown = some.stream()
                .filter(mark -> !epochs.containsKey(PartitionKey.of(mark)))
                .toList();
        if (!unknown.isEmpty()) {
            expected.expectFirst(
                    unknown.stream().filter(mark -> !mayBeOfDeletedTopic(mark)).toList());
            epochs.putAll(expected.of(unknown));
        }
        return some.stream().filter(mark -> !isExpected(mark, epochs)).collect(Collectors.toSet());
    }

    /** Another instance deleted the topic while this answer was on its way: a look asks Redis which epoch there is now. */
    private boolean mayBeOfDeletedTopic(PartitionMark mark) {
        return highest.of(PartitionKey.of(mark), mark.epoch()) != null && expected.isDeleted(mark.topic());
    }

    private static boolean isExpected(PartitionMark mark, Map<PartitionKey, String> epochs) {
        return String.valueOf(mark.epoch()).equals(epochs.get(PartitionKey.of(mark)));
    }

    /**
     * Writes marks of sent changes, none of which was {@linkplain #doubtful doubtful}, in the transaction that removes them from the
     * outbox.
     *
     * @throws ConcurrencyFailureException if one has become so: the transaction has to be repeated
     */
    public void writeSent(Collection<PartitionMark> marks) {
        marks.forEach(highest::note);
        List<PartitionMark> rows = new ArrayList<>();
        marks.stream()
                .filter(mark -> mark.epoch() != null)
                .map(mark -> highest.of(PartitionKey.of(mark), mark.epoch()))
                .filter(mark -> mark != null)
                .distinct()
                .forEach(rows::add);
        if (rows.isEmpty()) {
            return;
        }
        write(rows, instance);
        // who comes to expect another epoch waits for rows that exist, but does not see the first one of an instance
        boolean isFirst = !rows.stream().allMatch(sentRows::hasRow);
        Map<PartitionKey, String> now = isFirst ? expected.locked(rows) : expected.of(rows);
        if (!rows.stream().allMatch(mark -> isExpected(mark, now))) {
            throw new ConcurrencyFailureException("Redis may have lost what it answered");
        }
        sentRows.written(rows);
    }

    /**
     * Writes the highest marks of topics that changed, in the transaction that records how their messages ended. Apart from those of
     * sent changes, so that the two kinds of transactions don't wait for each other.
     */
    public void writeEnded(Collection<String> topics) {
        List<PartitionMark> newest = highest.newest(topics).stream()
                .filter(mark -> !endedRows.has(mark))
                .toList();
        Map<PartitionKey, String> epochs =
                expected.of(newest.stream().filter(endedRows::hasRow).toList());
        // who comes to expect another epoch waits for rows that exist, but does not see the first one of an instance
        epochs.putAll(expected.locked(
                newest.stream().filter(mark -> !endedRows.hasRow(mark)).toList()));
        List<PartitionMark> rows = new ArrayList<>();
        epochs.forEach((key, epoch) -> {
            PartitionMark mark = highest.of(key, epoch);
            if (mark != null && !endedRows.has(mark)) {
                rows.add(mark);
            }
        });
        if (!rows.isEmpty()) {
            write(rows, instance + "/ends");
            endedRows.written(rows);
        }
    }

    private void write(List<PartitionMark> marks, String name) {
        seen.insert(
                template,
                marks.stream().sorted(ORDER).map(mark -> parameters(mark, name)).toList());
    }

    private static Object[] parameters(PartitionMark mark, String name) {
        return new Object[] {
            mark.topic(), mark.partition(), name, String.valueOf(mark.epoch()), mark.sent(), mark.ended()
        };
    }

    /** Forgets topics of which the journal has had nothing for an hour: other instances deleted them. */
    void retain(Set<String> topics) {
        Set<String> gone = highest.topics();
        gone.removeAll(topics);
        long now = nanoTime.getAsLong();
        goneSince.keySet().retainAll(gone);
        for (String topic : gone) {
            Long since = goneSince.putIfAbsent(topic, now);
            if (since != null && now - since >= GONE_NANOS) {
                forget(topic);
            }
        }
    }

    /** Number of partitions that are in memory. */
    int size() {
        return highest.size() + sentRows.size() + endedRows.size();
    }

    private void forget(String topic) {
        highest.forget(topic);
        sentRows.forget(topic);
        endedRows.forget(topic);
    }

    /**
     * A topic is about to be deleted: that is no loss, and its messages don't come back. Blocks for a transaction.
     *
     * @throws org.springframework.dao.DataAccessException if the database fails
     */
    public void topicDeleting(String topic) {
        known.deleted(topic);
        forget(topic);
    }
}
