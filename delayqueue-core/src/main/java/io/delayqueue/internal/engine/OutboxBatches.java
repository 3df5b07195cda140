package io.delayqueue.internal.engine;

import io.delayqueue.OutboxOperation;
import io.delayqueue.internal.store.MessageStore;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The changes that go to one partition, in batches of one kind, none larger than a call of the store may be.
 *
 * @param operations all changes of a call
 * @param indexes those of them that go to the partition
 */
record OutboxBatches(List<OutboxOperation> operations, List<Integer> indexes) implements Iterable<List<Integer>> {

    @Override
    public Iterator<List<Integer>> iterator() {
        Map<Class<?>, List<Integer>> kinds = new LinkedHashMap<>();
        for (Integer i : indexes) {
            kinds.computeIfAbsent(operations.get(i).getClass(), kind -> new ArrayList<>())
                    .add(i);
        }
        List<List<Integer>> batches = new ArrayList<>();
        kinds.values().forEach(some -> split(some, batches));
        return batches.iterator();
    }

    private void split(List<Integer> some, List<List<Integer>> batches) {
        int from = 0;
        long bytes = 0;
        for (int at = 0; at < some.size(); at++) {
            int size = bytesOf(operations.get(some.get(at)));
            if (at > from && (at - from == MessageStore.LARGEST_BATCH || bytes + size > MessageStore.LARGEST_BYTES)) {
                batches.add(some.subList(from, at));
                from = at;
                bytes = 0;
            }
            bytes += size;
        }
        batches.add(some.subList(from, some.size()));
    }

    private static int bytesOf(OutboxOperation operation) {
        return operation instanceof OutboxOperation.Schedule schedule
                ? ScheduleRequest.bytesOf(schedule.message())
                : operation.id().length();
    }
}
