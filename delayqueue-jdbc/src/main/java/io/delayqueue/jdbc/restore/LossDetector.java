package io.delayqueue.jdbc.restore;

import io.delayqueue.PartitionMark;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Compares partitions' marks with those that the journal and this process keep. Changes nothing. */
final class LossDetector {

    private final KnownPartitions known;
    private final SeenMarks seen;

    LossDetector(KnownPartitions known, SeenMarks seen) {
        this.known = known;
        this.seen = seen;
    }

    /**
     * The result for a partition.
     *
     * @param mark of Redis
     * @param known by the journal
     * @param loss by comparison
     */
    record Finding(PartitionMark mark, KnownPartition known, Loss loss) {

        /** Whether Redis' epoch is the one that the journal expects, and nothing shows a loss. */
        boolean isExpected() {
            return known.expectedEpoch() == null
                    || (loss == Loss.NONE && known.expectedEpoch().equals(mark.epoch()));
        }

        /** Whether messages that ended may be in Redis again. */
        boolean holdsClaims() {
            return !isExpected() || known.remove() != null;
        }

        /** Whether all that was recorded as sent is in Redis, or was. */
        boolean isIntact() {
            return isExpected() && known.remove() == null && known.refill() == null;
        }

        boolean hasEpochOf(Finding other) {
            return Objects.equals(mark.epoch(), other.mark.epoch());
        }
    }

    /** The marks that are expected of a topic. Read them before Redis tells its own, as counters grow meanwhile. */
    Expected expected(String topic) {
        Map<Integer, KnownPartition> partitions = known.of(topic);
        List<KnownPartition> here = new ArrayList<>();
        int count =
                partitions.keySet().stream().mapToInt(part -> part + 1).max().orElse(0);
        for (int part = 0; part < count; part++) {
            KnownPartition partition = partitions.getOrDefault(part, KnownPartition.UNKNOWN);
            here.add(partition.with(seen.of(topic, part, partition.expectedEpoch())));
        }
        return new Expected(here);
    }

    /** The marks of a topic's partitions that journal and process knew. */
    final class Expected {

        private final List<KnownPartition> here;

        /** Number of the partitions that are known. */
        int count() {
            return here.size();
        }

        /** Whether a partition has what the journal recorded last. */
        boolean isPresent(PartitionMark mark) {
            String epoch =
                    mark.partition() < here.size() ? here.get(mark.partition()).expectedEpoch() : null;
            return epoch != null && epoch.equals(mark.epoch());
        }

        private Expected(List<KnownPartition> here) {
            this.here = here;
        }

        Finding compare(PartitionMark mark) {
            KnownPartition partition =
                    mark.partition() < here.size() ? here.get(mark.partition()) : KnownPartition.UNKNOWN;
            Loss loss = partition.compare(mark);
            // a loss that was found is repaired whole, whatever else showed it
            boolean isMissed =
                    loss == Loss.NONE && !partition.isLost() && !partition.lostBefore() && hasSeenMore(mark.former());
            return new Finding(mark, partition, isMissed ? Loss.SET_BACK : loss);
        }
    }

    /** Another instance may have decided that nothing was lost, while this one had acks in memory. */
    private boolean hasSeenMore(@Nullable PartitionMark former) {
        if (former == null) {
            return false;
        }
        PartitionMark highest = seen.of(former.topic(), former.partition(), former.epoch());
        return highest != null && (highest.sent() > former.sent() || highest.ended() > former.ended());
    }
}
