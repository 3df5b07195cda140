package io.delayqueue.internal.engine.consume;

import io.delayqueue.DelayQueueClosedException;
import io.delayqueue.PulledMessage;
import io.delayqueue.internal.Nanos;
import io.delayqueue.internal.ReceiptData;
import io.delayqueue.internal.engine.dispatch.Dispatcher;
import io.delayqueue.internal.engine.shared.ConsumerContext;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** A user's pull consumer: begins its {@link PullRun} with the first call, and ends it. Thread-safe. */
public final class TopicPull implements AutoCloseable {

    private final ConsumerContext context;
    private final int maxWaiting;
    private final Dispatcher dispatcher;
    private final Subscriptions subscriptions;
    private final ReentrantLock lifecycle = new ReentrantLock();
    private volatile @Nullable PullRun run;
    private volatile boolean closed;

    /**
     * Opens nothing yet.
     *
     * @param maxWaiting calls that may wait for messages
     */
    public TopicPull(ConsumerContext context, int maxWaiting, Dispatcher dispatcher, Subscriptions subscriptions) {
        this.context = context;
        this.maxWaiting = maxWaiting;
        this.dispatcher = dispatcher;
        this.subscriptions = subscriptions;
    }

    /**
     * Receives messages.
     *
     * @param future gets them, none if the wait is over; if it is completed from outside, it takes none any more
     * @param completions completes the future
     * @return false if too many calls wait
     */
    public boolean receive(
            int max, Duration wait, CompletableFuture<List<PulledMessage>> future, Executor completions) {
        return running().receive(max, Nanos.of(wait), future, completions);
    }

    /** Acks a message. The answer is whether its receipt was good. */
    public CompletableFuture<Boolean> ack(ReceiptData receipt) {
        return running().byReceipt().ack(receipt);
    }

    /** Acks messages. Each answer is whether the receipt was good. */
    public List<CompletableFuture<Boolean>> ackAll(List<ReceiptData> receipts) {
        PullSettlements byReceipt = running().byReceipt();
        return receipts.stream().map(byReceipt::ack).toList();
    }

    /**
     * Ends an attempt. The answer is whether the receipt was good.
     *
     * @param delay until the next attempt; null to dead-letter the message
     */
    public CompletableFuture<Boolean> retry(ReceiptData receipt, @Nullable Duration delay, String reason) {
        return running().byReceipt().retry(receipt, delay, reason);
    }

    /** Makes a message ready again. The answer is whether its receipt was good. */
    public CompletableFuture<Boolean> release(ReceiptData receipt) {
        return running().byReceipt().release(receipt);
    }

    /**
     * Extends a lease. The answer is whether the receipt was good.
     *
     * @param mayShorten whether the lease may end earlier than before
     */
    public CompletableFuture<Boolean> extend(ReceiptData receipt, Duration lease, boolean mayShorten) {
        return running().byReceipt().extend(receipt, lease, mayShorten);
    }

    /** Extends leases. Each answer is whether the receipt was good. */
    public List<CompletableFuture<Boolean>> extendAll(List<ReceiptData> receipts, Duration lease) {
        PullSettlements byReceipt = running().byReceipt();
        return receipts.stream()
                .map(receipt -> byReceipt.extend(receipt, lease, false))
                .toList();
    }

    /** Whether Redis answers, as far as it was asked. */
    public boolean isHealthy() {
        PullRun present = run;
        return present == null || present.isHealthy();
    }

    private PullRun running() {
        PullRun present = run;
        if (present != null && !closed) {
            return present;
        }
        lifecycle.lock();
        try {
            if (closed) {
                throw new DelayQueueClosedException(
                        "the pull consumer of topic '" + context.topic() + "' is closed", context.topic(), null, null);
            }
            return run != null ? run : begin();
        } finally {
            lifecycle.unlock();
        }
    }

    private PullRun begin() {
        PullRun begun = new PullRun(context, maxWaiting, dispatcher, subscriptions);
        subscriptions.add(begun);
        begun.start();
        run = begun;
        return begun;
    }

    @Override
    public void close() {
        lifecycle.lock();
        try {
            closed = true;
            PullRun ended = run;
            if (ended != null) {
                StopSequence.stop(List.of(ended), Duration.ZERO);
                subscriptions.remove(ended);
                run = null;
            }
        } finally {
            lifecycle.unlock();
        }
    }
}
