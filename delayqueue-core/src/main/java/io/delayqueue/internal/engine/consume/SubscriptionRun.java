package io.delayqueue.internal.engine.consume;

import io.delayqueue.WakeUp;
import io.delayqueue.internal.engine.dispatch.Capacity;
import io.delayqueue.internal.engine.dispatch.Dispatcher;
import io.delayqueue.internal.engine.dispatch.HandlerInvoker;
import io.delayqueue.internal.engine.dispatch.HandlerSlot;
import io.delayqueue.internal.engine.dispatch.HandlerSlots;
import io.delayqueue.internal.engine.dispatch.Reservation;
import io.delayqueue.internal.engine.dispatch.SlotOwner;
import io.delayqueue.internal.engine.settle.BeginMarks;
import io.delayqueue.internal.engine.settle.InFlightMessage;
import io.delayqueue.internal.engine.settle.LeaseKeeper;
import io.delayqueue.internal.engine.settle.Settlement;
import io.delayqueue.internal.engine.settle.Settlements;
import io.delayqueue.internal.engine.shared.BytesInFlight;
import io.delayqueue.internal.engine.shared.ConsumerContext;
import io.delayqueue.internal.store.Partition;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One run of a subscription, from start to stop. Passes each message on: from the claim loop of its partition to the handler
 * slots, and from its handler to the settlements. Thread-safe.
 */
final class SubscriptionRun implements ClaimLoop.Target, SlotOwner {

    private static final Logger log = LoggerFactory.getLogger("io.delayqueue");

    private final ConsumerContext context;
    private final String consumer = UUID.randomUUID().toString();
    private final Settlements settlements;
    private final HandlerInvoker invoker;
    private final HandlerSlots slots;
    private final BeginMarks.Marks beginMarks;
    private final BytesInFlight.Share bytes;
    private final LeaseKeeper leaseKeeper;
    private final PartitionDiscovery discovery;
    private final PartitionConsumers partitions;
    private final AtomicBoolean stopClaimed = new AtomicBoolean();
    private final CompletableFuture<Boolean> stopped = new CompletableFuture<>();
    private @Nullable Future<?> leaseKeeping;

    SubscriptionRun(ConsumerContext context, Dispatcher dispatcher) {
        this.context = context;
        this.settlements = new Settlements(context, consumer);
        this.invoker = new HandlerInvoker(context, settlements, this::settle);
        this.beginMarks =
                dispatcher.beginMarks().of(settlements, context.options().lease(), commandTimeout());
        this.bytes = context.client().bytes().share(() -> capacityFreed(capacity()));
        this.slots = dispatcher.slots(context.options().concurrency(), this);
        this.leaseKeeper = new LeaseKeeper(settlements, context.options().lease());
        this.partitions = new PartitionConsumers(context.topic(), this::partitionConsumer);
        this.discovery = new PartitionDiscovery(context, partitions::consume);
    }

    String topic() {
        return context.topic();
    }

    /** How long one command may take. */
    Duration commandTimeout() {
        return context.client().options().commandTimeout();
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
        return new PartitionConsumer(context, partition, consumer, this);
    }

    @Override
    public void partitionCountIs(int count) {
        discovery.partitionCountIs(count, partitions.count());
    }

    void pause(boolean pause) {
        partitions.pause(pause);
    }

    boolean isHealthy() {
        return partitions.isHealthy() && settlements.isHealthy() && !slots.hasLostSlots();
    }

    int abandonedHandlers() {
        return slots.abandoned();
    }

    int inFlight() {
        return settlements.inFlight().size();
    }

    /** A message may be due after that time. */
    void wakeUp(long waitMicros) {
        partitions.wakeUp(waitMicros);
    }

    @Override
    public Capacity capacity() {
        return slots.capacity();
    }

    @Override
    public int fairShare() {
        return Math.max(1, slots.capacity().total() / Math.max(1, partitions.count()));
    }

    @Override
    public Reservation reserve(int max) {
        int count = Math.min(max, capacity().free());
        int maxBytes = count == 0 ? 0 : bytes.reserve(count);
        if (maxBytes == 0) {
            return Reservation.NONE;
        }
        Reservation reservation = slots.reserve(max);
        if (reservation.slots() == 0) {
            bytes.release(maxBytes);
            return Reservation.NONE;
        }
        return reservation.withMaxBytes(maxBytes);
    }

    @Override
    public void release(Reservation reservation) {
        if (reservation.slots() > 0) {
            bytes.release(reservation.maxBytes());
        }
        slots.release(reservation);
    }

    @Override
    public void capacityFreed(Capacity capacity) {
        partitions.capacityFreed(capacity);
    }

    @Override
    public boolean settlesFirst(int partition) {
        if (!settlements.mayHaveUrgentLease(partition)) {
            return false;
        }
        // those that are still being handled, or wait for that
        leaseKeeper.run();
        return settlements.hasUrgentLease(partition);
    }

    @Override
    public boolean hasBacklog(int partition) {
        return settlements.hasBacklog(partition);
    }

    @Override
    public void accept(List<InFlightMessage> messages) {
        if (messages.isEmpty()) {
            return;
        }
        messages.forEach(this::add);
        // checked after adding: a stop that begins meanwhile sees them, or is seen here
        if (partitions.isStopping() || !hasTaken(messages)) {
            messages.forEach(this::releaseUnlessBegun);
        }
    }

    private boolean hasTaken(List<InFlightMessage> messages) {
        try {
            return slots.accept(messages);
        } catch (RuntimeException | Error e) {
            // leased and never handled, they would be renewed for ever
            context.callFailed(e);
            return false;
        }
    }

    private void add(InFlightMessage message) {
        bytes.take(message.message().payload().length);
        settlements.add(message);
    }

    @Override
    public void refuse(InFlightMessage message) {
        add(message);
        releaseUnlessBegun(message);
    }

    @Override
    public void handle(InFlightMessage message, HandlerSlot slot) {
        if (beginMarks.begin(message)) {
            invoker.handle(message, slot);
        } else {
            releaseUnlessBegun(message);
        }
    }

    @Override
    public void noSlot(InFlightMessage message) {
        releaseUnlessBegun(message);
    }

    @Override
    public void noWorker(InFlightMessage message, Throwable reason) {
        if (releaseUnlessBegun(message)) {
            context.callFailed(reason);
        }
    }

    @Override
    public void notHandled(InFlightMessage message, Throwable reason) {
        if (message.decide()) {
            settle(new Settlement.Release(message));
        }
        context.callFailed(reason);
    }

    private boolean releaseUnlessBegun(InFlightMessage message) {
        boolean released = message.decideUnlessBegun();
        if (released) {
            settle(new Settlement.Release(message));
        }
        return released;
    }

    private void settle(Settlement settlement) {
        InFlightMessage message = settlement.message();
        CompletableFuture<Boolean> answer = settlements.settle(settlement).whenComplete((held, error) -> {
            beginMarks.end(message);
            bytes.free(message.message().payload().length);
            partitions.settled(message.partition());
            wakeUpFor(settlement);
        });
        message.settling(answer);
    }

    /** Without wake-ups from Redis, this process alone knows when a message that it retries is due. */
    private void wakeUpFor(Settlement settlement) {
        if (context.client().options().wakeUp() == WakeUp.POLL && settlement instanceof Settlement.Retry retry) {
            Duration delay = retry.delay();
            if (delay != null) {
                wakeUp(TimeUnit.MICROSECONDS.convert(delay));
            }
        }
    }

    /** Returns true for the caller who has to stop this run; the others wait for {@link #stopped}. */
    boolean claimStop() {
        return stopClaimed.compareAndSet(false, true);
    }

    /** The answer is whether all handlers finished in time. */
    CompletableFuture<Boolean> stopped() {
        return stopped;
    }

    /** Claims no more, and releases the messages that no handler has begun. The answer completes after the last claim. */
    CompletableFuture<Void> stopClaiming() {
        CompletableFuture<Void> claimed = partitions.stopClaiming();
        slots.stop();
        bytes.stop();
        settlements.inFlight().forEach(this::releaseUnlessBegun);
        return claimed;
    }

    /** Waits until no handler runs. Returns false if that took longer. */
    boolean awaitHandlers(long nanos) throws InterruptedException {
        return slots.awaitIdle(nanos);
    }

    void interruptHandlers() {
        invoker.interrupting();
        settlements.inFlight().forEach(InFlightMessage::interrupt);
    }

    /** Releases the messages of handlers that ignored the interrupt. */
    void releaseStuck() {
        List<InFlightMessage> stuck = new ArrayList<>();
        for (InFlightMessage message : settlements.inFlight()) {
            if (message.decide()) {
                stuck.add(message);
                settle(new Settlement.Release(message));
            }
        }
        if (!stuck.isEmpty()) {
            log.warn(
                    "{} handlers of topic '{}' did not end when interrupted; their messages were released, among them {}",
                    stuck.size(),
                    context.topic(),
                    stuck.get(0).message());
        }
    }

    /** Completes when every message is settled. */
    CompletableFuture<Void> whenSettled() {
        return settlements.whenEmpty();
    }

    /** Ends what still runs on the timer, and has Redis forget this consumer. The answer is that it has. */
    CompletableFuture<Void> end(boolean finished) {
        if (leaseKeeping != null) {
            leaseKeeping.cancel(false);
        }
        int unsettled = inFlight();
        if (unsettled > 0) {
            log.warn(
                    "{} messages of topic '{}' could not be settled before the end; they come again after their lease",
                    unsettled,
                    context.topic());
        }
        settlements.giveUp();
        stopped.complete(finished);
        return partitions.forget();
    }
}
