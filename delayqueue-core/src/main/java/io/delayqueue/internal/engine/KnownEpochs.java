package io.delayqueue.internal.engine;

import io.delayqueue.PartitionMark;
import io.delayqueue.internal.store.Partition;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The epochs of partitions, as answers to outboxes told them. A change that was read after an epoch was known was read in it,
 * whatever the clocks of servers say. Thread-safe.
 */
final class KnownEpochs {

    /** A program that makes up topics must not fill the memory. An epoch that is not known is told from others by times. */
    private static final int MOST_PARTITIONS = 10_000;

    private static final long NEVER = Long.MIN_VALUE;

    private final Map<Partition, Known> epochs = new ConcurrentHashMap<>();

    /** The latest time of Redis that a caller was told. */
    private final AtomicLong latestMicros = new AtomicLong(NEVER);

    /**
     * An epoch that is known.
     *
     * @param epoch its text
     * @param afterMicros the latest time that callers had been told by then
     */
    private record Known(String epoch, long afterMicros) {}

    /** A caller is about to be told a time of Redis. */
    void timeTold(long micros) {
        latestMicros.accumulateAndGet(micros, Math::max);
    }

    /** Redis answered, in an epoch. */
    void update(Partition partition, PartitionMark mark) {
        String epoch = mark.epoch();
        long latest = latestMicros.get();
        if (epoch == null || latest == NEVER) {
            return;
        }
        Known known = epochs.get(partition);
        if (known == null || !known.epoch().equals(epoch)) {
            if (known == null && epochs.size() >= MOST_PARTITIONS) {
                epochs.clear();
            }
            epochs.put(partition, new Known(epoch, latest));
        }
    }

    /** The epoch of a partition that was known before a caller was told this time; null if none was, or another one. */
    @Nullable
    String before(Partition partition, long toldMicros) {
        Known known = epochs.get(partition);
        return known == null || toldMicros <= known.afterMicros() ? null : known.epoch();
    }
}
