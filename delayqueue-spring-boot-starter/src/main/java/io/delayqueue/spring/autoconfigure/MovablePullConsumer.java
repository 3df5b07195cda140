package io.delayqueue.spring.autoconfigure;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.PullConsumer;
import io.delayqueue.PullOptions;
import io.delayqueue.PulledMessage;
import io.delayqueue.Receipt;
import io.delayqueue.RetryOutcome;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A pull consumer that goes on with another client when the one it began with can't reach Redis any more. Its receipts stay good.
 * Thread-safe.
 */
final class MovablePullConsumer implements PullConsumer {

    private final String topic;
    private final PullOptions options;
    private final Supplier<DelayQueueClient> clients;
    private final ReentrantLock lock = new ReentrantLock();
    private DelayQueueClient client;
    private PullConsumer current;
    private boolean closed;

    /** @param clients tells the client to call now */
    MovablePullConsumer(Supplier<DelayQueueClient> clients, String topic, PullOptions options) {
        this.clients = clients;
        this.topic = topic;
        this.options = options;
        this.client = clients.get();
        this.current = client.pullConsumer(topic, options);
    }

    /** The former client closes the one that it made. */
    private PullConsumer current() {
        DelayQueueClient present = clients.get();
        lock.lock();
        try {
            if (present != client && !closed) {
                current = present.pullConsumer(topic, options);
                client = present;
            }
            return current;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public String topic() {
        return topic;
    }

    @Override
    public List<PulledMessage> receive(int max, Duration wait) {
        return current().receive(max, wait);
    }

    @Override
    public CompletableFuture<List<PulledMessage>> receiveAsync(int max, Duration wait) {
        return current().receiveAsync(max, wait);
    }

    @Override
    public boolean ack(Receipt receipt) {
        return current().ack(receipt);
    }

    @Override
    public CompletableFuture<Boolean> ackAsync(Receipt receipt) {
        return current().ackAsync(receipt);
    }

    @Override
    public List<CompletableFuture<Boolean>> ackAllAsync(List<Receipt> receipts) {
        return current().ackAllAsync(receipts);
    }

    @Override
    public RetryOutcome retry(Receipt receipt, @Nullable Duration delay, String reason) {
        return current().retry(receipt, delay, reason);
    }

    @Override
    public CompletableFuture<RetryOutcome> retryAsync(Receipt receipt, @Nullable Duration delay, String reason) {
        return current().retryAsync(receipt, delay, reason);
    }

    @Override
    public boolean deadLetter(Receipt receipt, String reason) {
        return current().deadLetter(receipt, reason);
    }

    @Override
    public CompletableFuture<Boolean> deadLetterAsync(Receipt receipt, String reason) {
        return current().deadLetterAsync(receipt, reason);
    }

    @Override
    public boolean release(Receipt receipt) {
        return current().release(receipt);
    }

    @Override
    public CompletableFuture<Boolean> releaseAsync(Receipt receipt) {
        return current().releaseAsync(receipt);
    }

    @Override
    public boolean extend(Receipt receipt, Duration lease) {
        return current().extend(receipt, lease);
    }

    @Override
    public CompletableFuture<Boolean> extendAsync(Receipt receipt, Duration lease) {
        return current().extendAsync(receipt, lease);
    }

    @Override
    public List<CompletableFuture<Boolean>> extendAllAsync(List<Receipt> receipts, Duration lease) {
        return current().extendAllAsync(receipts, lease);
    }

    @Override
    public boolean changeLease(Receipt receipt, Duration lease) {
        return current().changeLease(receipt, lease);
    }

    @Override
    public CompletableFuture<Boolean> changeLeaseAsync(Receipt receipt, Duration lease) {
        return current().changeLeaseAsync(receipt, lease);
    }

    @Override
    public boolean isHealthy() {
        return current().isHealthy();
    }

    @Override
    public void close() {
        PullConsumer last;
        lock.lock();
        try {
            closed = true;
            last = current;
        } finally {
            lock.unlock();
        }
        last.close();
    }
}
