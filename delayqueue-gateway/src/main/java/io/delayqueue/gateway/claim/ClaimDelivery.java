package io.delayqueue.gateway.claim;

import io.delayqueue.PullConsumer;
import io.delayqueue.PulledMessage;
import io.delayqueue.Receipt;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Claimed messages on their way to a client. They have a short lease until the answer is written, then that which the client asked for.
 * If the answer can't be written, they are ready again at once, with no attempt counted. A client that goes away unseen, after its
 * system took the answer, keeps them for their lease.
 */
public final class ClaimDelivery {

    private static final Logger log = LoggerFactory.getLogger(ClaimDelivery.class);

    private final PullConsumers consumers;
    private final List<PulledMessage> messages;
    private final Duration deliveryLease;
    private final Duration lease;
    private final AtomicBoolean leaseBegun = new AtomicBoolean();
    private final AtomicBoolean ended = new AtomicBoolean();

    /**
     * A delivery, not yet ended.
     *
     * @param lease lease of the messages once they are delivered; zero ends their attempt then, and they are ready again
     */
    public ClaimDelivery(PullConsumers consumers, List<PulledMessage> messages, Duration lease) {
        this.deliveryLease = consumers.deliveryLease();
        this.consumers = consumers;
        this.messages = messages;
        this.lease = lease;
    }

    /** The messages. */
    public List<PulledMessage> messages() {
        return messages;
    }

    /**
     * The last bytes of the answer are written next: the messages get the client's lease. Not later, or that might come behind a change of
     * the lease by the client, and undo it. Does nothing the second time, or if the delivery ended before.
     */
    public void beginLease() {
        if (!ended.get() && leaseBegun.compareAndSet(false, true) && !lease.isZero()) {
            messages.forEach(message -> settle(message.receipt(), consumer -> lease(consumer, message.receipt())));
        }
    }

    /** The answer was written. Does nothing if the delivery ended before. */
    public void confirm() {
        beginLease();
        if (ended.compareAndSet(false, true) && lease.isZero()) {
            messages.forEach(message -> settle(message.receipt(), consumer -> endAttempt(consumer, message.receipt())));
        }
    }

    /** The answer was not written. Does nothing if the delivery ended before. */
    public void release() {
        if (ended.compareAndSet(false, true)) {
            messages.forEach(
                    message -> settle(message.receipt(), consumer -> consumer.releaseAsync(message.receipt())));
        }
    }

    private void settle(Receipt receipt, Function<PullConsumer, CompletableFuture<Boolean>> call) {
        try {
            consumers.settle(receipt.topic(), call).exceptionally(failure -> failed(receipt, failure));
        } catch (RuntimeException e) {
            failed(receipt, e);
        }
    }

    /** A client that extended its lease already keeps that. */
    private CompletableFuture<Boolean> lease(PullConsumer consumer, Receipt receipt) {
        return lease.compareTo(deliveryLease) < 0
                ? consumer.changeLeaseAsync(receipt, lease)
                : consumer.extendAsync(receipt, lease);
    }

    private static CompletableFuture<Boolean> endAttempt(PullConsumer consumer, Receipt receipt) {
        return consumer.retryAsync(receipt, Duration.ZERO, "delivered with a lease of zero")
                .thenApply(outcome -> true);
    }

    /** The message comes again when the short lease is over. */
    private static boolean failed(Receipt receipt, Throwable failure) {
        log.debug(
                "Message '{}' of topic '{}' keeps its short lease after its delivery",
                receipt.messageId(),
                receipt.topic(),
                failure);
        return false;
    }
}
