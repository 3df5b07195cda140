package io.delayqueue.jdbc.restore;

import io.delayqueue.PartitionMark;
import io.delayqueue.jdbc.dialect.Dialect;
import io.delayqueue.jdbc.dialect.RowInserter;
import io.delayqueue.jdbc.support.JournalDatabase;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.springframework.jdbc.core.JdbcOperations;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;

/** The epochs that the journal expects of partitions, read and first written in the caller's transaction. */
final class ExpectedEpochs {

    /** Topics that a statement asks for. */
    private static final int MOST_TOPICS = 100;

    private final JdbcOperations template;
    private final JdbcClient jdbc;
    private final Dialect dialect;
    private final RowInserter first;
    private final String select;

    ExpectedEpochs(JournalDatabase database) {
        this.template = new JdbcTemplate(database.dataSource());
        this.jdbc = database.jdbc();
        this.dialect = database.dialect();
        this.first = dialect.inserter(SeenMarks.row(database).build());
        this.select = "SELECT topic, part, epoch FROM " + database.tables().partition()
                + " WHERE topic = ? AND instance = ? AND part IN (";
    }

    /** Epochs of the partitions of these marks, without those of which the journal expects none yet. */
    Map<PartitionKey, String> of(Collection<PartitionMark> marks) {
        return select(marks, MOST_TOPICS, "");
    }

    /** The same, with their rows locked until the transaction ends. */
    Map<PartitionKey, String> locked(Collection<PartitionMark> marks) {
        // a UNION locks nothing
        return select(marks, 1, " FOR UPDATE");
    }

    private Map<PartitionKey, String> select(Collection<PartitionMark> marks, int together, String lock) {
        Map<String, Set<Integer>> topics = new TreeMap<>();
        marks.forEach(mark ->
                topics.computeIfAbsent(mark.topic(), topic -> new TreeSet<>()).add(mark.partition()));
        Map<PartitionKey, String> epochs = new HashMap<>();
        List<Map.Entry<String, Set<Integer>>> all = List.copyOf(topics.entrySet());
        for (int from = 0; from < all.size(); from += together) {
            select(all.subList(from, Math.min(from + together, all.size())), lock, epochs);
        }
        return epochs;
    }

    private void select(List<Map.Entry<String, Set<Integer>>> topics, String lock, Map<PartitionKey, String> epochs) {
        List<Object> parameters = new ArrayList<>();
        List<String> selects = new ArrayList<>(topics.size());
        topics.forEach(topic -> {
            parameters.add(dialect.name(topic.getKey()));
            parameters.add(dialect.name(KnownPartitions.EXPECTED));
            parameters.addAll(topic.getValue());
            selects.add(select
                    + String.join(", ", Collections.nCopies(topic.getValue().size(), "?")) + ")");
        });
        jdbc.sql(String.join(" UNION ALL ", selects) + lock).params(parameters).query(row -> {
            epochs.put(new PartitionKey(dialect.name(row, "topic"), row.getInt("part")), row.getString("epoch"));
        });
    }

    /** Has the journal expect the epochs of these marks, each unless it expects one of the partition already. */
    void expectFirst(Collection<PartitionMark> marks) {
        Map<PartitionKey, Object[]> rows = new TreeMap<>();
        marks.forEach(mark -> rows.putIfAbsent(PartitionKey.of(mark), KnownPartitions.expectedRow(mark)));
        first.insert(template, List.copyOf(rows.values()));
    }

    /** Whether the topic was deleted lately. */
    boolean isDeleted(String topic) {
        return !jdbc.sql(select + "?)")
                .params(dialect.name(topic), dialect.name(KnownPartitions.DELETED), KnownPartitions.OF_TOPIC)
                .query((row, number) -> row.getString("epoch"))
                .list()
                .isEmpty();
    }
}
