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
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.ConcurrencyFailureException;
import org.springframework.jdbc.core.JdbcOperations;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * The highest marks of partitions that this instance saw, in memory and in rows of its own. They are written in the transactions that
 * record what they stand for, messages that were sent and messages that ended, and for the epoch only that the journal expects:
 * rows of a former one show what Redis lost. Safe for use by several threads.
 */
public final class SeenMarks {

    private static final Comparator<PartitionMark> ORDER =
            Comparator.comparing(PartitionMark::topic).thenComparing(PartitionMark::partition);

    /** Topics that a statement asks for. */
    private static final int MOST_TOPICS = 100;

    /** The first marks of a topic are seen before its rows are committed. */
    private static final long GONE_NANOS = TimeUnit.HOURS.toNanos(1);

    private final String instance;
    private final JdbcOperations template;
    private final JdbcClient jdbc;
    private final Dialect dialect;
    private final KnownPartitions known;
    private final RowInserter seen;
    private final RowInserter first;
    private final String selectExpected;
    private final Map<Key, Highest> highest = new ConcurrentHashMap<>();
    private final WrittenMarks sentRows;
    private final WrittenMarks endedRows;
    private final Map<String, Long> goneSince = new ConcurrentHashMap<>();
    private final LongSupplier nanoTime;

    private record Key(String topic, int partition) {

        static Key of(PartitionMark mark) {
            return new Key(mark.topic(), mark.partition());
        }
    }

    /** The highest mark of the newest epoch, and of the one before. */
    private record Highest(PartitionMark newest, @Nullable PartitionMark former) {

        Highest with(PartitionMark mark) {
            if (isOf(newest, mark.epoch())) {
                return new Highest(higher(newest, mark), former);
            }
            return isOf(former, mark.epoch()) ? this : new Highest(mark, newest);
        }

        @Nullable
        PartitionMark of(@Nullable String epoch) {
            return isOf(newest, epoch) ? newest : isOf(former, epoch) ? former : null;
        }

        @Nullable
        Highest without(@Nullable String epoch) {
            return isOf(newest, epoch) ? null : isOf(former, epoch) ? new Highest(newest, null) : this;
        }

        private static boolean isOf(@Nullable PartitionMark mark, @Nullable String epoch) {
            return mark != null && epoch != null && epoch.equals(mark.epoch());
        }
    }

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
        this.jdbc = database.jdbc();
        this.dialect = database.dialect();
        this.known = new KnownPartitions(database, new JournalTransaction(database.dataSource(), database.dialect()));
        this.seen = dialect.inserter(row(database)
                .update("sent", greatest("sent"))
                .update("ended", greatest("ended"))
                .update("updated", dialect.nowMicros())
                // after the others: MySQL takes its new value from here on
                .update("epoch", "{new.epoch}")
                .build());
        this.first = dialect.inserter(row(database).build());
        this.selectExpected = "SELECT topic, part, epoch FROM "
                + database.tables().partition() + " WHERE topic = ? AND instance = ? AND part IN (";
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
        if (mark.epoch() != null) {
            highest.merge(Key.of(mark), new Highest(mark, null), (old, fresh) -> old.with(fresh.newest()));
        }
    }

    private static PartitionMark higher(PartitionMark old, PartitionMark mark) {
        return new PartitionMark(
                mark.topic(),
                mark.partition(),
                mark.epoch(),
                Math.max(old.sent(), mark.sent()),
                Math.max(old.ended(), mark.ended()));
    }

    /** A loss that showed in an epoch is being repaired, so what was seen in it tells nothing more. */
    void forget(String topic, int partition, @Nullable String epoch) {
        highest.computeIfPresent(new Key(topic, partition), (key, marks) -> marks.without(epoch));
    }

    /** The highest mark of a partition that this instance saw in an epoch; null if it saw none. */
    @Nullable
    PartitionMark of(String topic, int partition, @Nullable String epoch) {
        Highest marks = highest.get(new Key(topic, partition));
        return marks == null ? null : marks.of(epoch);
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
        Map<Key, String> epochs = expectedEpochs(some, false);
        List<PartitionMark> unknown =
                some.stream().filter(mark -> !epochs.containsKey(Key.of(mark))).toList();
        if (!unknown.isEmpty()) {
            Map<Key, Object[]> rows =
                    new TreeMap<>(Comparator.comparing(Key::topic).thenComparing(Key::partition));
            unknown.stream()
                    .filter(mark -> !mayBeOfDeletedTopic(mark))
                    .forEach(mark -> rows.putIfAbsent(Key.of(mark), KnownPartitions.expectedRow(mark)));
            first.insert(template, List.copyOf(rows.values()));
            epochs.putAll(expectedEpochs(unknown, false));
        }
        return some.stream()
                .filter(mark -> !String.valueOf(mark.epoch()).equals(epochs.get(Key.of(mark))))
                .collect(Collectors.toSet());
    }

    /** Another instance deleted the topic while this answer was on its way: a look asks Redis which epoch there is now. */
    private boolean mayBeOfDeletedTopic(PartitionMark mark) {
        return of(mark.topic(), mark.partition(), mark.epoch()) != null
                && !jdbc.sql(selectExpected + "?)")
                        .params(
                                dialect.name(mark.topic()),
                                dialect.name(KnownPartitions.DELETED),
                                KnownPartitions.OF_TOPIC)
                        .query((row, number) -> row.getString("epoch"))
                        .list()
                        .isEmpty();
    }

    private Map<Key, String> expectedEpochs(Collection<PartitionMark> marks, boolean locked) {
        Map<String, Set<Integer>> topics = new TreeMap<>();
        marks.forEach(mark ->
                topics.computeIfAbsent(mark.topic(), topic -> new TreeSet<>()).add(mark.partition()));
        Map<Key, String> epochs = new HashMap<>();
        // a UNION locks nothing
        int together = locked ? 1 : MOST_TOPICS;
        List<Map.Entry<String, Set<Integer>>> all = List.copyOf(topics.entrySet());
        for (int from = 0; from < all.size(); from += together) {
            selectExpected(
                    all.subList(from, Math.min(from + together, all.size())), locked ? " FOR UPDATE" : "", epochs);
        }
        return epochs;
    }

    private void selectExpected(List<Map.Entry<String, Set<Integer>>> topics, String lock, Map<Key, String> epochs) {
        List<Object> parameters = new ArrayList<>();
        List<String> selects = new ArrayList<>(topics.size());
        topics.forEach(topic -> {
            parameters.add(dialect.name(topic.getKey()));
            parameters.add(dialect.name(KnownPartitions.EXPECTED));
            parameters.addAll(topic.getValue());
            selects.add(selectExpected
                    + String.join(", ", Collections.nCopies(topic.getValue().size(), "?")) + ")");
        });
        jdbc.sql(String.join(" UNION ALL ", selects) + lock).params(parameters).query(row -> {
            epochs.put(new Key(dialect.name(row, "topic"), row.getInt("part")), row.getString("epoch"));
        });
    }

    /**
     * Writes marks of sent changes, none of which was {@linkplain #doubtful doubtful}, in the transaction that removes them from the
     * outbox.
     *
     * @throws ConcurrencyFailureException if one has become so: the transaction has to be repeated
     */
    public void writeSent(Collection<PartitionMark> marks) {
        marks.forEach(this::note);
        List<PartitionMark> rows = new ArrayList<>();
        marks.stream()
                .filter(mark -> mark.epoch() != null)
                .map(mark -> of(mark.topic(), mark.partition(), mark.epoch()))
                .filter(mark -> mark != null)
                .distinct()
                .forEach(rows::add);
        if (rows.isEmpty()) {
            return;
        }
        write(rows, instance);
        // who comes to expect another epoch waits for rows that exist, but does not see the first one of an instance
        boolean isFirst = !rows.stream().allMatch(sentRows::hasRow);
        Map<Key, String> now = expectedEpochs(rows, isFirst);
        if (!rows.stream().allMatch(mark -> String.valueOf(mark.epoch()).equals(now.get(Key.of(mark))))) {
            throw new ConcurrencyFailureException("Redis may have lost what it answered");
        }
        sentRows.written(rows);
    }

    /**
     * Writes the highest marks of topics that changed, in the transaction that records how their messages ended. Apart from those of
     * sent changes, so that the two kinds of transactions don't wait for each other.
     */
    public void writeEnded(Collection<String> topics) {
        List<PartitionMark> newest = highest.values().stream()
                .map(Highest::newest)
                .filter(mark -> topics.contains(mark.topic()) && !endedRows.has(mark))
                .toList();
        Map<Key, String> epochs =
                expectedEpochs(newest.stream().filter(endedRows::hasRow).toList(), false);
        // who comes to expect another epoch waits for rows that exist, but does not see the first one of an instance
        epochs.putAll(expectedEpochs(
                newest.stream().filter(mark -> !endedRows.hasRow(mark)).toList(), true));
        List<PartitionMark> rows = new ArrayList<>();
        epochs.forEach((key, epoch) -> {
            PartitionMark mark = of(key.topic(), key.partition(), epoch);
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
        Set<String> gone = highest.keySet().stream()
                .map(Key::topic)
                .filter(topic -> !topics.contains(topic))
                .collect(Collectors.toSet());
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
        highest.keySet().removeIf(key -> key.topic().equals(topic));
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
