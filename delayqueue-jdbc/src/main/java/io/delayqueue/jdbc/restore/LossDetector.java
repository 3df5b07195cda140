package io.delayqueue.jdbc.restore;

import io.delayqueue.PartitionMark;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Compares partitions' marks with those that the journal and this process keep. */
final class LossDetector {

    private final KnownPartitions known;
    private final SeenMarks seen;

    LossDetector(KnownPartitions known, SeenMarks seen) {
        this.known = known;
        this.seen = seen;
    }

    /**
     * What a partition's mark says.
     *
     * @param mark of Redis
     * @param loss by comparison
     * @param refill whether a restore of the partition began and did not end
     */
    record Finding(PartitionMark mark, Loss loss, boolean refill) {}

    /**
     * A finding for each of a topic's partitions.
     *
     * @param marks asks Redis for the marks: behind the looks at what was seen, as counters grow meanwhile
     */
    List<Finding> look(String topic, Supplier<List<PartitionMark>> marks) {
        Map<Integer, PartitionMark> here = seen.of(topic);
        Map<Integer, KnownPartition> partitions = known.of(topic);
        List<Finding> findings = new ArrayList<>();
        for (PartitionMark mark : marks.get()) {
            KnownPartition partition = partitions.getOrDefault(mark.partition(), KnownPartition.UNKNOWN);
            findings.add(new Finding(mark, loss(mark, partition, here.get(mark.partition())), partition.refill()));
        }
        return findings;
    }

    private static Loss loss(PartitionMark mark, KnownPartition partition, @Nullable PartitionMark here) {
        if (partition.agreed() == null) {
            return Loss.NONE;
        }
        if (mark.epoch() == null) {
            return Loss.EMPTY;
        }
        if (!mark.epoch().equals(partition.agreed())) {
            return Loss.OTHER_EPOCH;
        }
        long sent = partition.sent();
        long acked = partition.acked();
        if (here != null && mark.epoch().equals(here.epoch())) {
            sent = Math.max(sent, here.sent());
            acked = Math.max(acked, here.acked());
        }
        return mark.sent() < sent || mark.acked() < acked ? Loss.SET_BACK : Loss.NONE;
    }
}
