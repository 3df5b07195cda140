package io.delayqueue.internal.engine;

import io.delayqueue.ClientOverloadedException;
import io.delayqueue.Delay;
import io.delayqueue.DelayQueueException;
import io.delayqueue.PullConsumer;
import io.delayqueue.PullOptions;
import io.delayqueue.PulledMessage;
import io.delayqueue.Receipt;
import io.delayqueue.RetryOutcome;
import io.delayqueue.internal.FutureErrors;
import io.delayqueue.internal.ReceiptData;
import io.delayqueue.internal.engine.consume.TopicPull;
import io.delayqueue.internal.engine.shared.OwnFailure;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The {@link PullConsumer} of a client. */
final class TopicPullConsumer implements PullConsumer {

    private static final Duration MIN_LEASE = Duration.ofMillis(1);
    private static final Duration MAX_LEASE = Duration.ofDays(1);

    private final String topic;
    private final PullOptions options;
    private final TopicPull pull;
    private final PullCalls calls;

    TopicPullConsumer(String topic, PullOptions options, TopicPull pull, PullCalls calls) {
        this.topic = topic;
        this.options = options;
        this.pull = pull;
        this.calls = calls;
    }

    @Override
    public String topic() {
        return topic;
    }

    @Override
    public List<PulledMessage> receive(int max, Duration wait) {
        CompletableFuture<List<PulledMessage>> future = receiveAsync(max, wait);
        try {
            return future.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            // it may have been answered at this moment
            return future.cancel(false) ? List.of() : future.join();
        } catch (ExecutionException e) {
            Throwable error = FutureErrors.unwrap(e);
            throw error instanceof DelayQueueException own ? own : OwnFailure.of(error, topic, null);
        }
    }

    @Override
    public CompletableFuture<List<PulledMessage>> receiveAsync(int max, Duration wait) {
        if (max < 1 || max > MAX_MESSAGES) {
            throw new IllegalArgumentException("max must be 1 to " + MAX_MESSAGES + ", not " + max);
        }
        if (wait.isNegative() || wait.compareTo(MAX_WAIT) > 0) {
            throw new IllegalArgumentException("wait must be zero to " + MAX_WAIT + ", not " + wait);
        }
        calls.checks().requireOpen(topic);
        CompletableFuture<List<PulledMessage>> future = new CompletableFuture<>();
        try {
            Executor completions = calls.futures().forCaller(topic, null);
            if (!pull.receive(max, wait, future, completions)) {
                future.completeExceptionally(tooManyWait());
            }
        } catch (ClientOverloadedException e) {
            future.completeExceptionally(e);
        }
        return future;
    }

    private ClientOverloadedException tooManyWait() {
        return new ClientOverloadedException(
                options.maxWaiting() + " calls wait for messages of topic '" + topic + "': see PullOptions.maxWaiting",
                topic,
                null,
                null);
    }

    @Override
    public boolean ack(Receipt receipt) {
        return calls.blocking(receipt, call(receipt, pull::ack));
    }

    @Override
    public CompletableFuture<Boolean> ackAsync(Receipt receipt) {
        return calls.async(receipt, call(receipt, pull::ack));
    }

    @Override
    public List<CompletableFuture<Boolean>> ackAllAsync(List<Receipt> receipts) {
        List<Receipt> all = List.copyOf(receipts);
        List<ReceiptData> data = all.stream().map(this::own).toList();
        return calls.asyncAll(topic, all, () -> pull.ackAll(data));
    }

    @Override
    public RetryOutcome retry(Receipt receipt, @Nullable Duration delay, String reason) {
        return calls.blocking(receipt, retryCall(receipt, delay, reason));
    }

    @Override
    public CompletableFuture<RetryOutcome> retryAsync(Receipt receipt, @Nullable Duration delay, String reason) {
        return calls.async(receipt, retryCall(receipt, delay, reason));
    }

    private Supplier<CompletableFuture<RetryOutcome>> retryCall(
            Receipt receipt, @Nullable Duration delay, String reason) {
        Objects.requireNonNull(reason, "reason");
        ReceiptData data = own(receipt);
        boolean last = data.attempt() >= data.maxAttempts();
        Duration wait = last
                ? null
                : notNegative(delay != null ? delay : options.backoff().delayAfter(data.attempt()));
        RetryOutcome done = last ? RetryOutcome.DEAD_LETTERED : RetryOutcome.RETRIED;
        return () -> pull.retry(data, wait, reason).thenApply(held -> held ? done : RetryOutcome.LEASE_LOST);
    }

    private static Duration notNegative(Duration delay) {
        Delay.of(delay);
        return delay.isNegative() ? Duration.ZERO : delay;
    }

    @Override
    public boolean deadLetter(Receipt receipt, String reason) {
        return calls.blocking(receipt, deadLetterCall(receipt, reason));
    }

    @Override
    public CompletableFuture<Boolean> deadLetterAsync(Receipt receipt, String reason) {
        return calls.async(receipt, deadLetterCall(receipt, reason));
    }

    private Supplier<CompletableFuture<Boolean>> deadLetterCall(Receipt receipt, String reason) {
        Objects.requireNonNull(reason, "reason");
        return call(receipt, data -> pull.retry(data, null, reason));
    }

    @Override
    public boolean release(Receipt receipt) {
        return calls.blocking(receipt, call(receipt, pull::release));
    }

    @Override
    public CompletableFuture<Boolean> releaseAsync(Receipt receipt) {
        return calls.async(receipt, call(receipt, pull::release));
    }

    @Override
    public boolean extend(Receipt receipt, Duration lease) {
        return calls.blocking(receipt, extendCall(receipt, lease, false));
    }

    @Override
    public CompletableFuture<Boolean> extendAsync(Receipt receipt, Duration lease) {
        return calls.async(receipt, extendCall(receipt, lease, false));
    }

    @Override
    public List<CompletableFuture<Boolean>> extendAllAsync(List<Receipt> receipts, Duration lease) {
        requireLease(lease);
        List<Receipt> all = List.copyOf(receipts);
        List<ReceiptData> data = all.stream().map(this::own).toList();
        return calls.asyncAll(topic, all, () -> pull.extendAll(data, lease));
    }

    @Override
    public boolean changeLease(Receipt receipt, Duration lease) {
        return calls.blocking(receipt, extendCall(receipt, lease, true));
    }

    @Override
    public CompletableFuture<Boolean> changeLeaseAsync(Receipt receipt, Duration lease) {
        return calls.async(receipt, extendCall(receipt, lease, true));
    }

    private Supplier<CompletableFuture<Boolean>> extendCall(Receipt receipt, Duration lease, boolean mayShorten) {
        requireLease(lease);
        return call(receipt, data -> pull.extend(data, lease, mayShorten));
    }

    private static void requireLease(Duration lease) {
        if (lease.compareTo(MIN_LEASE) < 0 || lease.compareTo(MAX_LEASE) > 0) {
            throw new IllegalArgumentException("lease must be " + MIN_LEASE + " to " + MAX_LEASE + ", not " + lease);
        }
    }

    private <T> Supplier<T> call(Receipt receipt, Function<ReceiptData, T> call) {
        ReceiptData data = own(receipt);
        return () -> call.apply(data);
    }

    private ReceiptData own(Receipt receipt) {
        if (!receipt.topic().equals(topic)) {
            throw new IllegalArgumentException(
                    "the receipt is of topic '" + receipt.topic() + "', not '" + topic + "'");
        }
        return ReceiptData.decode(receipt.toString());
    }

    @Override
    public boolean isHealthy() {
        return pull.isHealthy();
    }

    @Override
    public void close() {
        pull.close();
    }
}
