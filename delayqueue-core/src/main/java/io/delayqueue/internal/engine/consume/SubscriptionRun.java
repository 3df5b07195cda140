package io.delayqueue.internal.engine.consume;

import io.delayqueue.MessageHandler;
import io.delayqueue.SubscriptionLoad;
import io.delayqueue.internal.ConsumerId;
import io.delayqueue.internal.engine.dispatch.Capacity;
import io.delayqueue.internal.engine.dispatch.Dispatcher;
import io.delayqueue.internal.engine.dispatch.HandlerInvoker;
import io.delayqueue.internal.engine.dispatch.HandlerSlot;
import io.delayqueue.internal.engine.dispatch.HandlerSlots;
import io.delayqueue.internal.engine.dispatch.SlotOwner;
import io.delayqueue.internal.engine.settle.InFlightMessage;
import io.delayqueue.internal.engine.settle.LeaseKeeper;
import io.delayqueue.internal.engine.settle.Settlements;
import io.delayqueue.internal.engine.shared.ConsumerContext;
import io.delayqueue.internal.store.Partition;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * One run of a subscription, from start to stop. Passes each message on: from the claim loop of its partition to the handler
 * slots, and from its handler to the settlements. Thread-safe.
 */
final class SubscriptionRun implements ClaimTarget, ConsumerRun, SlotOwner {

    private final ConsumerContext context;
    private final String consumer = ConsumerId.create();
    private final SuspectPermit suspectPermit;
    private final Settlements settlements;
    private final BytesInFlight.Share bytes;
    private final BeginMarks.Marks beginMarks;
    private final MessageLifecycle messages;
    private final HandlerInvoker invoker;
    private final HandlerSlots slots;
    private final ClaimCapacity capacity;
    private final LeaseKeeper leaseKeeper;
    private final PartitionDiscovery discovery;
    private final PartitionConsumers partitions;
    private final AtomicBoolean stopClaimed = new AtomicBoolean();
    private final CompletableFuture<Boolean> stopped = new CompletableFuture<>();
    private @Nullable Future<?> leaseKeeping;

    SubscriptionRun(
            ConsumerContext context, MessageHandler handler, Dispatcher dispatcher, Subscriptions subscriptions) {
        this.context = context;
        Duration lease = context.options().lease();
        this.suspectPermit = subscriptions.suspectPermit();
        this.settlements = new Settlements(context, consumer);
        this.leaseKeeper = new LeaseKeeper(settlements, lease);
        this.partitions = new PartitionConsumers(context.topic(), this::partitionConsumer);
        this.discovery = new PartitionDiscovery(context, partitions::consume);
        this.bytes = subscriptions.bytes().share(partitions::bytesFreed);
        this.beginMarks = subscriptions
                .beginMarks()
                .of(
                        (message, alone) -> settlements.extend(message, lease, alone),
                        context.client().options().commandTimeout());
        this.messages = new MessageLifecycle(context, settlements, bytes, beginMarks::settled, partitions);
        this.invoker = new HandlerInvoker(context, handler, settlements, messages::settle);
        this.slots = dispatcher.slots(context.options().concurrency(), this);
        this.capacity = new ClaimCapacity(slots, bytes, partitions::count);
    }

    @Override
    public ConsumerContext context() {
        return context;
    }

    @Override
    public PartitionConsumers partitions() {
        return partitions;
    }

    @Override
    public Settlements settlements() {
        return settlements;
    }

    @Override
    public ClaimCapacity capacity() {
        return capacity;
    }

    HandlerSlots slots() {
        return slots;
    }

    void start() {
        long interval = leaseKeeper.interval().toNanos();
        try {
            leaseKeeping = context.client()
                    .timer()
                    .scheduleWithFixedDelay(leaseKeeper, interval, interval, TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException closed) {
            throw Subscriptions.closed(context.topic(), closed);
        }
        discovery.start();
    }

    private PartitionConsumer partitionConsumer(Partition partition) {
        settlements.addPartition(partition);
        return new PartitionConsumer(context, partition, consumer, this, suspectPermit);
    }

    @Override
    public void partitionCountIs(int count) {
        discovery.partitionCountIs(count, partitions.count());
    }

    boolean isHealthy() {
        return partitions.isHealthy() && settlements.isHealthy() && !slots.hasLostSlots();
    }

    SubscriptionLoad load() {
        return new SubscriptionLoad(
                context.options().concurrency(),
                slots.free(),
                slots.waiting(),
                settlements.unsettled(),
                bytes.taken(),
                Duration.ofNanos(partitions.sincePassNanos()));
    }

    @Override
    public void capacityFreed(Capacity capacity) {
        partitions.capacityFreed(capacity);
    }

    @Override
    public boolean renewUrgentLeases(int partition) {
        if (!settlements.mayHaveUrgentLease(partition)) {
            return false;
        }
        // those that are still being handled, or wait for that
        leaseKeeper.run();
        return settlements.searchUrgentLease(partition);
    }

    @Override
    public void accept(List<InFlightMessage> claimed) {
        if (claimed.isEmpty()) {
            return;
        }
        claimed.forEach(messages::add);
        // checked after adding: a stop that begins meanwhile sees them, or is seen here
        if (partitions.isStopping() || !hasTaken(claimed)) {
            claimed.forEach(messages::releaseUnlessBegun);
        }
    }

    private boolean hasTaken(List<InFlightMessage> claimed) {
        try {
            return slots.accept(claimed);
        } catch (RuntimeException | Error e) {
            // leased and never handled, they would be renewed for ever
            context.callFailed(e);
            return false;
        }
    }

    @Override
    public void refuse(InFlightMessage message) {
        messages.add(message);
        messages.releaseUnlessBegun(message);
    }

    @Override
    public void handle(InFlightMessage message, HandlerSlot slot) {
        if (beginMarks.begin(message)) {
            invoker.handle(message, slot);
        } else {
            messages.releaseUnlessBegun(message);
        }
    }

    @Override
    public void handlerEnded() {
        beginMarks.handlerEnded();
    }

    @Override
    public void noSlot(InFlightMessage message) {
        messages.releaseUnlessBegun(message);
    }

    @Override
    public void notStarted(InFlightMessage message, Throwable reason) {
        if (messages.releaseUnlessBegun(message)) {
            context.callFailed(reason);
        }
    }

    @Override
    public void notHandled(InFlightMessage message, Throwable reason) {
        messages.release(message);
        context.callFailed(reason);
    }

    @Override
    public boolean claimStop() {
        return stopClaimed.compareAndSet(false, true);
    }

    @Override
    public CompletableFuture<Boolean> stopped() {
        return stopped;
    }

    @Override
    public CompletableFuture<Void> stopClaiming() {
        CompletableFuture<Void> claimed = partitions.stopClaiming();
        slots.stop();
        bytes.stop();
        messages.releaseUnbegun();
        return claimed;
    }

    @Override
    public boolean awaitHandlers(long nanos) throws InterruptedException {
        return slots.awaitIdle(nanos);
    }

    @Override
    public void interruptHandlers() {
        invoker.interrupting();
        messages.interruptHandlers();
    }

    @Override
    public void releaseStuck() {
        messages.releaseStuck();
    }

    @Override
    public CompletableFuture<Void> end(boolean finished) {
        if (leaseKeeping != null) {
            leaseKeeping.cancel(false);
        }
        messages.giveUp();
        stopped.complete(finished);
        return partitions.forget();
    }
}
