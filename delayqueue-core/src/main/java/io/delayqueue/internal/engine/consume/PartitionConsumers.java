package io.delayqueue.internal.engine.consume;

import io.delayqueue.internal.engine.dispatch.Capacity;
import io.delayqueue.internal.store.Partition;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;

/** The partitions that one run of a subscription consumes: more and more of them, and all of them until it stops. Thread-safe. */
final class PartitionConsumers {

    private final String topic;
    private final Function<Partition, PartitionConsumer> create;
    private final ReentrantLock adding = new ReentrantLock();
    private final List<PartitionConsumer> all = new CopyOnWriteArrayList<>();
    private final AtomicInteger turn = new AtomicInteger();
    private volatile boolean paused;
    private volatile boolean stopping;

    /** @param create makes the consumer of a partition, which is started later */
    PartitionConsumers(String topic, Function<Partition, PartitionConsumer> create) {
        this.topic = topic;
        this.create = create;
    }

    /** Consumes the first partitions of the topic, that many. */
    void consume(int count) {
        List<PartitionConsumer> added = new ArrayList<>();
        adding.lock();
        try {
            while (all.size() < count && !stopping) {
                PartitionConsumer partition = create.apply(new Partition(topic, all.size(), count));
                partition.loop().pause(paused);
                all.add(partition);
                added.add(partition);
            }
        } finally {
            adding.unlock();
        }
        // a start claims at once, and may call the user's code: not under the lock
        added.forEach(PartitionConsumer::start);
    }

    int count() {
        return all.size();
    }

    void pause(boolean pause) {
        adding.lock();
        try {
            paused = pause;
        } finally {
            adding.unlock();
        }
        all.forEach(partition -> partition.loop().pause(pause));
    }

    /** Whether no partition answers its claims. */
    boolean isFailing() {
        return !all.isEmpty()
                && all.stream().allMatch(partition -> partition.loop().isFailing());
    }

    /** Time since the last pass of the loop that has had none for longest. */
    long sincePassNanos() {
        return all.stream()
                .mapToLong(partition -> partition.loop().sincePassNanos())
                .max()
                .orElse(0);
    }

    boolean isHealthy() {
        return all.stream().allMatch(PartitionConsumer::isHealthy);
    }

    /** A message may be due after that time. */
    void wakeUp(long waitMicros) {
        all.forEach(partition -> partition.loop().wakeUp(waitMicros));
    }

    /** Claims at once. The answer completes after the claims of those partitions that there is capacity for. */
    CompletableFuture<Void> claimNow() {
        return forEach(partition -> partition.loop().claimNow());
    }

    /** The subscription has capacity again. */
    void capacityFreed(Capacity capacity) {
        forEachInTurn(loop -> loop.capacityFreed(capacity));
    }

    /** The client has bytes for the subscription again. */
    void bytesFreed() {
        forEachInTurn(ClaimLoop::bytesFreed);
    }

    /** Begins with another partition each time: the first one to claim may take all of it. */
    private void forEachInTurn(Consumer<ClaimLoop> action) {
        int count = all.size();
        int first = count <= 1 ? 0 : Math.floorMod(turn.getAndIncrement(), count);
        for (int i = 0; i < count; i++) {
            action.accept(all.get((first + i) % count).loop());
        }
    }

    /** A message of that partition was settled. */
    void settled(int partition) {
        all.get(partition).loop().settled();
    }

    boolean isStopping() {
        return stopping;
    }

    /** Claims no more. The answer completes after the last claim. */
    CompletableFuture<Void> stopClaiming() {
        adding.lock();
        try {
            stopping = true;
        } finally {
            adding.unlock();
        }
        return forEach(PartitionConsumer::stopClaiming);
    }

    /** Has Redis forget this consumer; after the last settlement. */
    CompletableFuture<Void> forget() {
        return forEach(PartitionConsumer::forget);
    }

    private CompletableFuture<Void> forEach(Function<PartitionConsumer, CompletableFuture<Void>> call) {
        return CompletableFuture.allOf(all.stream().map(call).toArray(CompletableFuture[]::new));
    }
}
