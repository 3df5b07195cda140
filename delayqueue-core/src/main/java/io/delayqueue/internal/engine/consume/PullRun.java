package io.delayqueue.internal.engine.consume;

import io.delayqueue.PulledMessage;
import io.delayqueue.RedisUnavailableException;
import io.delayqueue.internal.ConsumerId;
import io.delayqueue.internal.engine.dispatch.Capacity;
import io.delayqueue.internal.engine.dispatch.Dispatcher;
import io.delayqueue.internal.engine.dispatch.ReceiveOwner;
import io.delayqueue.internal.engine.dispatch.WaitingReceive;
import io.delayqueue.internal.engine.dispatch.WaitingReceives;
import io.delayqueue.internal.engine.settle.InFlightMessage;
import io.delayqueue.internal.engine.settle.Receipts;
import io.delayqueue.internal.engine.settle.Settlements;
import io.delayqueue.internal.engine.shared.ConsumerContext;
import io.delayqueue.internal.store.Partition;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The run of a pull consumer, from its first call to its end. Passes each message from the claim loop of its partition to a call that waits
 * for it. With the answer, the message leaves this process, and nothing renews its lease. Thread-safe.
 */
final class PullRun implements ClaimTarget, ConsumerRun, ReceiveOwner {

    private final ConsumerContext context;
    private final String consumer = ConsumerId.create();
    private final SuspectPermit suspectPermit;
    private final Settlements settlements;
    private final BytesInFlight.Share bytes;
    private final MessageLifecycle messages;
    private final WaitingReceives receives;
    private final ClaimCapacity capacity;
    private final PartitionDiscovery discovery;
    private final PartitionConsumers partitions;
    private final PullSettlements byReceipt;
    private final AtomicBoolean stopClaimed = new AtomicBoolean();
    private final CompletableFuture<Boolean> stopped = new CompletableFuture<>();

    PullRun(ConsumerContext context, int maxWaiting, Dispatcher dispatcher, Subscriptions subscriptions) {
        this.context = context;
        this.suspectPermit = subscriptions.suspectPermit();
        this.settlements = new Settlements(context, consumer);
        this.partitions = new PartitionConsumers(context.topic(), this::partitionConsumer);
        this.discovery = new PartitionDiscovery(context, partitions::consume);
        this.bytes = subscriptions.bytes().share(partitions::bytesFreed);
        this.messages = new MessageLifecycle(context, settlements, bytes, message -> {}, partitions);
        this.receives = dispatcher.receives(this, maxWaiting);
        this.capacity = new ClaimCapacity(receives, bytes, partitions::count);
        this.byReceipt = new PullSettlements(context, settlements, partitions, subscriptions);
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

    private PartitionConsumer partitionConsumer(Partition partition) {
        settlements.addPartition(partition);
        return new PartitionConsumer(context, partition, consumer, this, suspectPermit);
    }

    void start() {
        discovery.start();
    }

    boolean isHealthy() {
        return stopped.isDone() || partitions.isHealthy() && settlements.isHealthy();
    }

    PullSettlements byReceipt() {
        return byReceipt;
    }

    /**
     * Receives messages.
     *
     * @param future gets them; if it is completed from outside, it takes none any more
     * @param completions completes the future
     * @return false if too many calls wait
     */
    boolean receive(int max, long waitNanos, CompletableFuture<List<PulledMessage>> future, Executor completions) {
        WaitingReceive receive = new WaitingReceive(max, claimed -> completions.execute(() -> answer(claimed, future)));
        future.whenComplete((received, error) -> receives.remove(receive));
        return receives.add(receive, waitNanos);
    }

    private void answer(List<InFlightMessage> claimed, CompletableFuture<List<PulledMessage>> future) {
        List<InFlightMessage> taken = new ArrayList<>(claimed.size());
        for (InFlightMessage message : claimed) {
            if (future.isDone() || message.isLeaseLost()) {
                messages.releaseUnlessBegun(message);
            } else if (message.decide()) {
                // else the end of this run has released it
                taken.add(message);
            }
        }
        if (!taken.isEmpty()) {
            answerWith(taken, future);
        } else if (claimed.isEmpty() && partitions.isFailing() && !partitions.isStopping()) {
            future.completeExceptionally(new RedisUnavailableException(
                    "Redis does not answer, so it is unknown whether messages of topic '" + context.topic()
                            + "' are due; still retrying",
                    context.topic(),
                    null,
                    null));
        } else {
            future.complete(List.of());
        }
    }

    private void answerWith(List<InFlightMessage> taken, CompletableFuture<List<PulledMessage>> future) {
        List<PulledMessage> pulled = new ArrayList<>(taken.size());
        for (InFlightMessage message : taken) {
            Duration lag = Duration.ofNanos(Math.max(0, message.lateNanos()));
            context.client().observer().call(observer -> observer.pulled(message.message(), lag));
            pulled.add(new PulledMessage(message.message(), Receipts.of(message), message.leaseEndsNanos()));
        }
        // before the answer: a continuation of the future may block this thread
        taken.forEach(messages::handOver);
        if (!future.complete(List.copyOf(pulled))) {
            taken.forEach(messages::takeBack);
        }
    }

    @Override
    public CompletableFuture<Void> claimNow() {
        return partitions.claimNow();
    }

    @Override
    public void unwanted(InFlightMessage message) {
        messages.releaseUnlessBegun(message);
    }

    @Override
    public void partitionCountIs(int count) {
        discovery.partitionCountIs(count, partitions.count());
    }

    @Override
    public void capacityFreed(Capacity freed) {
        partitions.capacityFreed(freed);
    }

    /** No lease is renewed here. */
    @Override
    public boolean renewUrgentLeases(int partition) {
        return false;
    }

    @Override
    public void accept(List<InFlightMessage> claimed) {
        if (claimed.isEmpty()) {
            return;
        }
        claimed.forEach(messages::add);
        // checked after adding: a stop that begins meanwhile sees them, or is seen here
        if (partitions.isStopping() || !receives.accept(claimed)) {
            claimed.forEach(messages::releaseUnlessBegun);
        }
    }

    @Override
    public void refuse(InFlightMessage message) {
        messages.add(message);
        messages.releaseUnlessBegun(message);
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
        receives.stop();
        bytes.stop();
        messages.releaseUnbegun();
        return claimed;
    }

    @Override
    public CompletableFuture<Void> end(boolean finished) {
        messages.giveUp();
        stopped.complete(finished);
        return partitions.forget();
    }
}
