package io.delayqueue.jdbc.restore;

import io.delayqueue.PartitionMark;
import java.util.Comparator;

/** A partition of a topic, in the order in which rows are written. */
record PartitionKey(String topic, int partition) implements Comparable<PartitionKey> {

    private static final Comparator<PartitionKey> ORDER =
            Comparator.comparing(PartitionKey::topic).thenComparing(PartitionKey::partition);

    static PartitionKey of(PartitionMark mark) {
        return new PartitionKey(mark.topic(), mark.partition());
    }

    @Override
    public int compareTo(PartitionKey other) {
        return ORDER.compare(this, other);
    }
}
