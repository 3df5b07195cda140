package io.delayqueue.internal.engine;

import io.delayqueue.internal.Names;
import io.delayqueue.internal.store.MessageStore;
import io.delayqueue.internal.store.Partition;
import io.delayqueue.internal.store.Partitioning;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.function.ToLongBiFunction;

/** Ids of messages that a call names, each once. */
record DistinctIds(List<String> ids) {

    /** The ids, or an exception that says which one can't be one. */
    static DistinctIds of(String topic, Collection<String> ids) {
        List<String> distinct = List.copyOf(new LinkedHashSet<>(ids));
        distinct.forEach(id -> Names.requireId(topic, id));
        return new DistinctIds(distinct);
    }

    boolean isEmpty() {
        return ids.isEmpty();
    }

    /** Adds up the answers of a call for each batch. A message is in one of its candidate partitions only, so it counts once. */
    long inSteps(Partitioning partitioning, ToLongBiFunction<Partition, List<String>> call) {
        ByPartition<String> parts = new ByPartition<>();
        for (String id : ids) {
            partitioning.candidates(id).forEach(candidate -> parts.add(candidate, id));
        }
        return parts.map((partition, some) -> inSteps(partition, some, call)).stream()
                .mapToLong(Long::longValue)
                .sum();
    }

    private static long inSteps(
            Partition partition, List<String> some, ToLongBiFunction<Partition, List<String>> call) {
        long total = 0;
        for (int from = 0; from < some.size(); from += MessageStore.LARGEST_BATCH) {
            int to = Math.min(from + MessageStore.LARGEST_BATCH, some.size());
            total += call.applyAsLong(partition, some.subList(from, to));
        }
        return total;
    }
}
