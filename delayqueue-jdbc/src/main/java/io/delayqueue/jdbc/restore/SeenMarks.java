package io.delayqueue.jdbc.restore;

import io.delayqueue.PartitionMark;
import io.delayqueue.jdbc.JournalDatabase;
import io.delayqueue.jdbc.dialect.RowInsert;
import io.delayqueue.jdbc.dialect.RowInsert.Type;
import io.delayqueue.jdbc.dialect.RowInserter;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.jdbc.core.JdbcOperations;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * The highest marks of partitions that this instance saw, in memory and in rows of its own. They are written in the transactions that
 * record what they stand for: messages that were sent, and messages that were acked. Safe for use by several threads.
 */
public final class SeenMarks {

    /** Instance of the row with the epoch that the journal was compared with last. */
    static final String AGREED = "#epoch";

    /** Instance of the row that says that unfinished messages are still to be scheduled again. */
    static final String REFILL = "#refill";

    private static final Comparator<PartitionMark> ORDER =
            Comparator.comparing(PartitionMark::topic).thenComparing(PartitionMark::partition);

    private final String instance;
    private final JdbcOperations jdbc;
    private final RowInserter seen;
    private final RowInserter first;
    private final Map<Key, PartitionMark> highest = new ConcurrentHashMap<>();
    private final Set<Key> agreed = ConcurrentHashMap.newKeySet();

    private record Key(String topic, int partition) {}

    /**
     * Marks that an instance saw.
     *
     * @param instance name of the process, without {@code #} at its beginning
     */
    public SeenMarks(JournalDatabase database, String instance) {
        this.instance = instance;
        this.jdbc = new JdbcTemplate(database.dataSource());
        this.seen = database.dialect()
                .inserter(row(database)
                        .update("sent", greatest("sent"))
                        .update("acked", greatest("acked"))
                        .update("updated", database.dialect().nowMicros())
                        // behind the others: MySQL takes its new value from here on
                        .update("epoch", "{new.epoch}")
                        .build());
        this.first = database.dialect().inserter(row(database).build());
    }

    private static RowInsert.Builder row(JournalDatabase database) {
        return RowInsert.into(database.tables().partition(), "topic", "part", "instance")
                .column("topic", Type.NAME)
                .column("part", Type.INTEGER)
                .column("instance", Type.NAME)
                .column("epoch", Type.ASCII)
                .column("sent", Type.BIGINT)
                .column("acked", Type.BIGINT)
                .column("updated", database.dialect().nowMicros());
    }

    private static String greatest(String column) {
        return "CASE WHEN {old.epoch} = {new.epoch} AND {old." + column + "} > {new." + column + "} THEN {old." + column
                + "} ELSE {new." + column + "} END";
    }

    /** Keeps a mark in memory. Neither blocks nor calls the database. */
    public void note(PartitionMark mark) {
        if (mark.epoch() != null) {
            highest.merge(new Key(mark.topic(), mark.partition()), mark, SeenMarks::higher);
        }
    }

    private static PartitionMark higher(PartitionMark old, PartitionMark mark) {
        return mark.epoch() == null || !mark.epoch().equals(old.epoch())
                ? mark
                : new PartitionMark(
                        mark.topic(),
                        mark.partition(),
                        mark.epoch(),
                        Math.max(old.sent(), mark.sent()),
                        Math.max(old.acked(), mark.acked()));
    }

    /** The highest mark of a partition that this instance saw; a mark without epoch and counters if it saw none. */
    private PartitionMark of(String topic, int partition) {
        return highest.getOrDefault(new Key(topic, partition), new PartitionMark(topic, partition, null, 0, 0));
    }

    /** The highest marks of a topic's partitions that this instance saw, by their numbers. */
    Map<Integer, PartitionMark> of(String topic) {
        Map<Integer, PartitionMark> marks = new HashMap<>();
        highest.forEach((key, mark) -> {
            if (key.topic().equals(topic)) {
                marks.put(key.partition(), mark);
            }
        });
        return marks;
    }

    /** Whether this instance saw another epoch of the partition before. */
    boolean isNewEpoch(PartitionMark mark) {
        String before = of(mark.topic(), mark.partition()).epoch();
        return before != null && mark.epoch() != null && !before.equals(mark.epoch());
    }

    /** Writes marks of sent changes, in the transaction that removes them from the outbox. */
    public void writeSent(Collection<PartitionMark> marks) {
        write(marks, instance);
    }

    /**
     * Writes the highest marks of topics, in the transaction that records acks of their messages. Apart from those of sent changes, so that
     * the two kinds of transactions don't wait for each other.
     */
    public void writeAcked(Collection<String> topics) {
        write(
                highest.values().stream()
                        .filter(mark -> topics.contains(mark.topic()))
                        .toList(),
                instance + "/acks");
    }

    private void write(Collection<PartitionMark> marks, String name) {
        List<Object[]> rows = new ArrayList<>();
        List<Object[]> firsts = new ArrayList<>();
        List<Key> newKeys = new ArrayList<>();
        marks.forEach(this::note);
        marks.stream()
                .filter(mark -> mark.epoch() != null)
                .map(mark -> of(mark.topic(), mark.partition()))
                .filter(mark -> mark.epoch() != null)
                .distinct()
                .sorted(ORDER)
                .forEach(mark -> {
                    rows.add(parameters(mark, name));
                    if (!agreed.contains(new Key(mark.topic(), mark.partition()))) {
                        firsts.add(parameters(mark, AGREED));
                        newKeys.add(new Key(mark.topic(), mark.partition()));
                    }
                });
        if (!firsts.isEmpty()) {
            first.insert(jdbc, firsts);
        }
        if (!rows.isEmpty()) {
            seen.insert(jdbc, rows);
        }
        // a transaction that is rolled back is repeated, or another one follows: then the row is inserted in vain, no
        // more
        agreed.addAll(newKeys);
    }

    private static Object[] parameters(PartitionMark mark, String name) {
        return new Object[] {
            mark.topic(), mark.partition(), name, String.valueOf(mark.epoch()), mark.sent(), mark.acked()
        };
    }
}
