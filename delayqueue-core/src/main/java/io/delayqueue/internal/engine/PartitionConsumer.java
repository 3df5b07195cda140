package io.delayqueue.internal.engine;

import io.delayqueue.internal.store.ClaimAnswer;
import io.delayqueue.internal.store.Claimed;
import io.delayqueue.internal.store.Partition;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A consumption's part in one partition: what is claimed there is settled there. */
final class PartitionConsumer implements ClaimLoop.Sink {

    private static final Logger log = LoggerFactory.getLogger("io.delayqueue");

    private final ConsumerContext context;
    private final Partition partition;
    private final String consumer;
    private final SubscriptionRun whole;
    private final AtomicInteger inHand = new AtomicInteger();
    private final Settlements settlements;
    private final ClaimLoop loop;
    private final Thread thread;
    private @Nullable AutoCloseable wakeUps;

    PartitionConsumer(ConsumerContext context, Partition partition, String consumer, SubscriptionRun whole) {
        this.context = context;
        this.partition = partition;
        this.consumer = consumer;
        this.whole = whole;
        this.settlements = new Settlements(context, partition, consumer, inHand::get);
        this.loop = new ClaimLoop(context, partition, consumer, this);
        this.thread = new Thread(loop, "delayqueue-claim-" + context.topic() + suffix(partition));
    }

    private static String suffix(Partition partition) {
        return partition.number() == 0 ? "" : "-" + partition.number();
    }

    void start() {
        wakeUps = context.store().listen(partition, loop::wakeUp);
        thread.setDaemon(true);
        thread.start();
    }

    ClaimLoop loop() {
        return loop;
    }

    @Override
    public boolean isShared() {
        return whole.isShared();
    }

    @Override
    public Places.Vacancy vacancy() {
        return whole.handlers().vacancy();
    }

    @Override
    public Places.Room reserve(int most) {
        return whole.handlers().reserve(most);
    }

    @Override
    public void unreserve(Places.Room room) {
        whole.handlers().unreserve(room);
    }

    @Override
    public void accept(Claimed claimed, long dueNanos, long leaseEndsNanos) {
        inHand.incrementAndGet();
        whole.accept(new InFlightMessage(claimed, dueNanos, leaseEndsNanos, settlements), inHand::decrementAndGet);
    }

    @Override
    public void answered(ClaimAnswer answer) {
        whole.layoutIs(answer.partitions());
    }

    /** Ends the claiming, so that no lease is left that nobody knows of. */
    void stopClaiming() throws InterruptedException {
        loop.stop();
        thread.join(context.queue().commandTimeout().plusSeconds(1).toMillis());
        if (wakeUps != null) {
            try {
                wakeUps.close();
            } catch (Exception e) {
                log.debug("closing the wake-ups of topic {} failed", partition, e);
            }
        }
        if (!thread.isAlive()) {
            try {
                loop.claimUnanswered();
            } catch (InterruptedException e) {
                throw e;
            } catch (Exception e) {
                log.debug("the last claim of topic {} stays unanswered", partition, e);
            }
        }
    }

    /** After the last settlement. The answer is that nothing of this consumer is left in the store. */
    CompletableFuture<Void> end() {
        settlements.giveUp();
        return context.store().forgetConsumer(partition, consumer);
    }
}
