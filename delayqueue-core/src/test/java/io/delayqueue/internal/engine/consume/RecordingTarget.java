package io.delayqueue.internal.engine.consume;

import io.delayqueue.internal.engine.dispatch.Capacity;
import io.delayqueue.internal.engine.dispatch.Reservation;
import io.delayqueue.internal.engine.settle.InFlightMessage;
import io.delayqueue.internal.store.MessageStore;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** A subscription with as much capacity as a test wants; remembers the messages it got. */
final class RecordingTarget implements ClaimTarget {

    static final int FAIR_SHARE = 3;

    final List<InFlightMessage> accepted = new CopyOnWriteArrayList<>();
    final List<InFlightMessage> refused = new CopyOnWriteArrayList<>();
    final int concurrency;
    volatile int free;
    volatile int prefetch;
    volatile int early;
    volatile boolean backlog;
    volatile int reserved;
    volatile int mostReserved;
    volatile long lastAskedNanos;
    /** Whether an accepted message takes one of the free slots. */
    volatile boolean fills;

    volatile @Nullable Integer freeAfterwards;
    volatile boolean urgentLease;
    volatile int warnings;
    /** How often it was asked. */
    volatile int looks;

    volatile @Nullable RuntimeException partitionCountFailure;

    RecordingTarget(int concurrency) {
        this.concurrency = concurrency;
        this.free = concurrency;
    }

    @Override
    public Capacity capacity() {
        lastAskedNanos = System.nanoTime();
        int now = free;
        Integer afterwards = freeAfterwards;
        if (afterwards != null) {
            free = afterwards;
        }
        return new Capacity(now, concurrency);
    }

    @Override
    public int fairShare() {
        return FAIR_SHARE;
    }

    @Override
    public boolean renewUrgentLeases(int partition) {
        looks++;
        return urgentLease;
    }

    @Override
    public ClaimLimits reserve(int max) {
        int count = Math.min(max, capacity().free());
        reserved += count;
        mostReserved = Math.max(mostReserved, reserved);
        return new ClaimLimits(new Reservation(count, prefetch, early), MessageStore.LARGEST_BYTES, false);
    }

    @Override
    public void release(ClaimLimits limits) {
        reserved -= limits.slots();
    }

    @Override
    public boolean hasBacklog(int partition) {
        return backlog;
    }

    @Override
    public void warnOfStuckBacklog(int partition) {
        warnings++;
    }

    @Override
    public void accept(List<InFlightMessage> messages) {
        accepted.addAll(messages);
        if (fills) {
            free -= messages.size();
        }
    }

    @Override
    public void refuse(InFlightMessage message) {
        refused.add(message);
    }

    @Override
    public void partitionCountIs(int count) {
        RuntimeException failure = partitionCountFailure;
        if (failure != null) {
            throw failure;
        }
    }
}
