package io.delayqueue.internal.engine;

import io.delayqueue.internal.store.Partition;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;

/** Items of a call by the partition that they go to, in the order in which they were added. */
final class ByPartition<T> {

    private final Map<Partition, List<T>> parts = new LinkedHashMap<>();

    void add(Partition partition, T item) {
        parts.computeIfAbsent(partition, of -> new ArrayList<>()).add(item);
    }

    void forEach(BiConsumer<Partition, List<T>> action) {
        parts.forEach(action);
    }

    /** The results of a call for each partition. */
    <R> List<R> map(BiFunction<Partition, List<T>, R> call) {
        List<R> results = new ArrayList<>(parts.size());
        parts.forEach((partition, items) -> results.add(call.apply(partition, items)));
        return results;
    }
}
