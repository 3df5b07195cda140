package io.delayqueue.internal.engine;

import io.delayqueue.internal.Names;
import io.delayqueue.internal.store.MessageStore;
import io.delayqueue.internal.store.Partition;
import io.delayqueue.internal.store.Partitioning;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongBiFunction;

/** Ids of messages that a call names, each once; with the partitions that may hold them. */
record IdsByPartition(List<String> ids) {

    /** The ids, or an exception that says which one can't be one. */
    static IdsByPartition of(String topic, Collection<String> ids) {
        List<String> distinct = List.copyOf(new LinkedHashSet<>(ids));
        distinct.forEach(id -> Names.requireId(topic, id));
        return new IdsByPartition(distinct);
    }

    boolean isEmpty() {
        return ids.isEmpty();
    }

    /** Adds up the answers of a call for each batch. A message is in one of its candidate partitions only, so it counts once. */
    long inSteps(Partitioning partitioning, ToLongBiFunction<Partition, List<String>> call) {
        Map<Partition, List<String>> byPartition = new LinkedHashMap<>();
        for (String id : ids) {
            for (Partition candidate : partitioning.candidates(id)) {
                byPartition
                        .computeIfAbsent(candidate, partition -> new ArrayList<>())
                        .add(id);
            }
        }
        long total = 0;
        for (Map.Entry<Partition, List<String>> part : byPartition.entrySet()) {
            List<String> all = part.getValue();
            for (int from = 0; from < all.size(); from += MessageStore.LARGEST_BATCH) {
                List<String> step = all.subList(from, Math.min(from + MessageStore.LARGEST_BATCH, all.size()));
                total += call.applyAsLong(part.getKey(), step);
            }
        }
        return total;
    }
}
