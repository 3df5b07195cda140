package io.delayqueue.internal.engine.consume;

import io.delayqueue.internal.engine.dispatch.Capacity;
import io.delayqueue.internal.engine.dispatch.MessageSlots;
import io.delayqueue.internal.engine.dispatch.Reservation;
import io.delayqueue.internal.engine.settle.Backlog;
import io.delayqueue.internal.engine.settle.InFlightMessage;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ScheduledExecutorService;
import org.jspecify.annotations.Nullable;

/** A subscription with as much capacity as a test wants; remembers the messages it got. */
final class RecordingTarget implements ClaimTarget, Backlog {

    static final int FAIR_SHARE = 3;

    final List<InFlightMessage> accepted = new CopyOnWriteArrayList<>();
    final List<InFlightMessage> refused = new CopyOnWriteArrayList<>();
    final int concurrency;
    private final ClaimCapacity capacity;
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

    RecordingTarget(int concurrency, ScheduledExecutorService timer) {
        this.concurrency = concurrency;
        this.free = concurrency;
        BytesInFlight.Share bytes = new BytesInFlight(Long.MAX_VALUE, timer).share(() -> {});
        this.capacity = new ClaimCapacity(new Slots(), bytes, () -> concurrency / FAIR_SHARE);
    }

    @Override
    public ClaimCapacity capacity() {
        return capacity;
    }

    @Override
    public Backlog settlements() {
        return this;
    }

    @Override
    public boolean renewUrgentLeases(int partition) {
        looks++;
        return urgentLease;
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

    private final class Slots implements MessageSlots {

        @Override
        public Capacity capacity() {
            lastAskedNanos = System.nanoTime();
            return new Capacity(free, concurrency);
        }

        @Override
        public Reservation reserve(int max) {
            int count = Math.min(max, free);
            reserved += count;
            mostReserved = Math.max(mostReserved, reserved);
            Integer afterwards = freeAfterwards;
            if (afterwards != null) {
                free = afterwards;
            }
            return new Reservation(count, prefetch, early);
        }

        @Override
        public void release(Reservation reservation) {
            reserved -= reservation.slots();
        }
    }
}
