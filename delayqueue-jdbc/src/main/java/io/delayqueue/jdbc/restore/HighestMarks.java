package io.delayqueue.jdbc.restore;

import io.delayqueue.PartitionMark;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The highest marks of partitions in memory, of the newest epoch and the one before. Safe for use by several threads. */
final class HighestMarks {

    private final Map<PartitionKey, Highest> highest = new ConcurrentHashMap<>();

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

        private static PartitionMark higher(PartitionMark old, PartitionMark mark) {
            return new PartitionMark(
                    mark.topic(),
                    mark.partition(),
                    mark.epoch(),
                    Math.max(old.sent(), mark.sent()),
                    Math.max(old.ended(), mark.ended()));
        }
    }

    /** Keeps a mark, if it has an epoch. */
    void note(PartitionMark mark) {
        if (mark.epoch() != null) {
            highest.merge(PartitionKey.of(mark), new Highest(mark, null), (old, fresh) -> old.with(fresh.newest()));
        }
    }

    /** The highest mark of a partition in an epoch; null if there was none. */
    @Nullable
    PartitionMark of(PartitionKey partition, @Nullable String epoch) {
        Highest marks = highest.get(partition);
        return marks == null ? null : marks.of(epoch);
    }

    /** The highest marks of these topics, each of its partition's newest epoch. */
    List<PartitionMark> newest(Collection<String> topics) {
        return highest.values().stream()
                .map(Highest::newest)
                .filter(mark -> topics.contains(mark.topic()))
                .toList();
    }

    /** Names of the topics, for the caller to keep. */
    Set<String> topics() {
        return highest.keySet().stream().map(PartitionKey::topic).collect(Collectors.toCollection(HashSet::new));
    }

    void forget(PartitionKey partition, @Nullable String epoch) {
        highest.computeIfPresent(partition, (key, marks) -> marks.without(epoch));
    }

    void forget(String topic) {
        highest.keySet().removeIf(key -> key.topic().equals(topic));
    }

    int size() {
        return highest.size();
    }
}
