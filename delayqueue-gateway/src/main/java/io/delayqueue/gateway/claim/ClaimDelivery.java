package io.delayqueue.gateway.claim;

import io.delayqueue.PullConsumer;
import io.delayqueue.PulledMessage;
import io.delayqueue.Receipt;
import io.delayqueue.ReceivedMessage;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Claimed messages on their way to a client. They have the lease of their claim until the answer is written, then that which the client
 * asked for. If the answer can't be written, they are ready again at once, with no attempt counted. A client that goes away unseen, after
 * its system took the answer, keeps them for their lease. Thread-safe.
 */
public final class ClaimDelivery implements AnsweredMessages {

    private static final Logger log = LoggerFactory.getLogger(ClaimDelivery.class);

    /** The rest of the claim's lease is for the command that releases the messages, and for pauses of the process. */
    private static final double SHARE_OF_WAIT = 0.5;

    /** A client hardly notices that this part of its lease is over. Under load, answers come some milliseconds after their requests. */
    private static final int UNNOTICED_DIVISOR = 20;

    private static final long COPIES = 3;
    private static final long MESSAGE_OVERHEAD = 2_048;

    private final PullConsumers consumers;
    private final Duration deliveryLease;
    private final Duration lease;
    private final Runnable onEnd;
    private final boolean keepsLeases;
    private final AtomicReference<Stage> stage = new AtomicReference<>(Stage.CLAIMED);

    /** Completes when the messages no longer wait for their answer to begin. */
    private final CompletableFuture<Void> begun = new CompletableFuture<>();

    /** Empty once the delivery has ended: the container may keep this object for longer. */
    private volatile List<PulledMessage> messages;

    private enum Stage {
        CLAIMED,
        ANSWERED,
        LEASED,
        ENDED
    }

    /**
     * A delivery, not yet ended.
     *
     * @param lease lease of the messages once they are delivered; zero ends their attempt then, and they are ready again
     */
    public ClaimDelivery(PullConsumers consumers, List<PulledMessage> messages, Duration lease) {
        this(consumers, messages, lease, () -> {});
    }

    /**
     * A delivery, not yet ended.
     *
     * @param lease lease of the messages once they are delivered; zero ends their attempt then, and they are ready again
     * @param onEnd called once, when the delivery has ended
     */
    public ClaimDelivery(PullConsumers consumers, List<PulledMessage> messages, Duration lease, Runnable onEnd) {
        this(consumers, messages, lease, onEnd, false);
    }

    private ClaimDelivery(
            PullConsumers consumers,
            List<PulledMessage> messages,
            Duration lease,
            Runnable onEnd,
            boolean keepsLeases) {
        this.keepsLeases = keepsLeases;
        this.deliveryLease = consumers.deliveryLease();
        this.consumers = consumers;
        this.messages = messages;
        this.lease = lease;
        this.onEnd = onEnd;
    }

    /**
     * A delivery, not yet ended, whose messages keep the lease of their claim if that is the one to have, and nearly all of it is left.
     *
     * @param lease lease of the messages once they are delivered; zero ends their attempt then, and they are ready again
     */
    public static ClaimDelivery toKeepLeases(PullConsumers consumers, List<PulledMessage> messages, Duration lease) {
        return new ClaimDelivery(consumers, messages, lease, () -> {}, lease.equals(consumers.deliveryLease()));
    }

    /** Bytes in memory, about, until the answer with a message is written: payload, text and answer. */
    public static long bytes(ReceivedMessage message) {
        long bytes = MESSAGE_OVERHEAD + COPIES * message.payload().length;
        for (Map.Entry<String, String> header : message.headers().entrySet()) {
            bytes += COPIES * (header.getKey().length() + header.getValue().length());
        }
        return bytes;
    }

    @Override
    public boolean isEmpty() {
        return messages.isEmpty();
    }

    /** The messages. */
    public List<PulledMessage> messages() {
        return messages;
    }

    /**
     * Releases the messages before the lease of their claim ends, unless {@link #beginAnswer} comes first. Their answer may wait for a
     * thread for any time, and each lease that ends counts an attempt.
     */
    public void releaseUnlessBegun() {
        if (!messages.isEmpty()) {
            Runnable cancel =
                    consumers.answers().after((long) (SHARE_OF_WAIT * deliveryLease.toNanos()), this::releaseLate);
            begun.thenRun(cancel);
        }
    }

    private void releaseLate() {
        if (stage.compareAndSet(Stage.CLAIMED, Stage.ENDED)) {
            log.debug("Messages whose answer found no thread are released");
            end(this::release);
        }
    }

    /**
     * The answer is written from now on.
     *
     * @return whether the messages are the client's: false if they were released
     */
    public boolean beginAnswer() {
        begun.complete(null);
        return stage.compareAndSet(Stage.CLAIMED, Stage.ANSWERED) || stage.get() != Stage.ENDED;
    }

    /** Keeps the claim's lease from ending while the answer is written. If that fails, the messages are delivered again. */
    @Override
    public void renew() {
        Stage now = stage.get();
        if (now == Stage.CLAIMED || now == Stage.ANSWERED) {
            extend(messages, deliveryLease);
        }
    }

    /** Does nothing the second time. */
    @Override
    public void beginLease() {
        beginAnswer();
        if (!stage.compareAndSet(Stage.ANSWERED, Stage.LEASED) || lease.isZero()) {
            return;
        }
        if (lease.compareTo(deliveryLease) < 0) {
            messages.forEach(message ->
                    settle(message.receipt(), consumer -> consumer.changeLeaseAsync(message.receipt(), lease)));
        } else {
            // a client that extended its lease already keeps that
            extend(toExtend(), lease);
        }
    }

    /**
     * None of those that may keep the lease of their claim. A message with a single attempt may not: it would be taken for one that
     * nobody had, and be delivered again instead of dead-lettered.
     */
    private List<PulledMessage> toExtend() {
        Duration enough = lease.minus(lease.dividedBy(UNNOTICED_DIVISOR));
        return messages.stream()
                .filter(message -> !keepsLeases
                        || message.leaseLeft().compareTo(enough) < 0
                        || message.message().maxAttempts() == 1)
                .toList();
    }

    /** The answer was written. Does nothing if the delivery ended before. */
    @Override
    public void confirm() {
        beginLease();
        if (stage.compareAndSet(Stage.LEASED, Stage.ENDED)) {
            end(receipt -> {
                if (lease.isZero()) {
                    settle(receipt, consumer -> endAttempt(consumer, receipt));
                }
            });
        }
    }

    /** The answer was not written. Does nothing if the delivery ended before. */
    @Override
    public void release() {
        begun.complete(null);
        if (stage.getAndSet(Stage.ENDED) != Stage.ENDED) {
            end(this::release);
        }
    }

    private void release(Receipt receipt) {
        settle(receipt, consumer -> consumer.releaseAsync(receipt));
    }

    /** By whoever ended the delivery. */
    private void end(Consumer<Receipt> settlement) {
        List<PulledMessage> ended = messages;
        messages = List.of();
        ended.forEach(message -> settlement.accept(message.receipt()));
        onEnd.run();
    }

    private void settle(Receipt receipt, Function<PullConsumer, CompletableFuture<Boolean>> call) {
        try {
            consumers.settle(receipt.topic(), call).exceptionally(failure -> failed(receipt, failure));
        } catch (RuntimeException e) {
            failed(receipt, e);
        }
    }

    private void extend(List<PulledMessage> claimed, Duration extended) {
        List<Receipt> receipts = claimed.stream().map(PulledMessage::receipt).toList();
        if (receipts.isEmpty()) {
            return;
        }
        // claimed together, so they are of one topic
        String topic = receipts.get(0).topic();
        try {
            List<CompletableFuture<Boolean>> held =
                    consumers.settleAll(topic, consumer -> consumer.extendAllAsync(receipts, extended));
            for (int i = 0; i < receipts.size(); i++) {
                Receipt receipt = receipts.get(i);
                held.get(i).exceptionally(failure -> failed(receipt, failure));
            }
        } catch (RuntimeException e) {
            receipts.forEach(receipt -> failed(receipt, e));
        }
    }

    private static CompletableFuture<Boolean> endAttempt(PullConsumer consumer, Receipt receipt) {
        return consumer.retryAsync(receipt, Duration.ZERO, "delivered with a lease of zero")
                .thenApply(outcome -> true);
    }

    /** The message is delivered again when the lease of its claim is over. */
    private static boolean failed(Receipt receipt, Throwable failure) {
        log.debug(
                "Message '{}' of topic '{}' keeps the lease of its claim after its delivery",
                receipt.messageId(),
                receipt.topic(),
                failure);
        return false;
    }
}
