package io.delayqueue.internal.engine;

import io.delayqueue.Delay;
import io.delayqueue.Delivery;
import io.delayqueue.RedisUnavailableException;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** A handler's grip on one message in hand. */
final class HandlerDelivery implements Delivery {

    private final InFlightMessage inHand;
    private final Duration commandTimeout;
    private volatile @Nullable RequestedOutcome wish;

    HandlerDelivery(InFlightMessage inHand, Duration commandTimeout) {
        this.inHand = inHand;
        this.commandTimeout = commandTimeout;
    }

    /** What the handler wishes instead of the usual end; null if nothing. */
    @Nullable
    RequestedOutcome wish() {
        return wish;
    }

    @Override
    public void retryAfter(Duration delay) {
        Delay.of(delay);
        wish = new RequestedOutcome(
                delay.isNegative() ? Duration.ZERO : delay, "the handler asked for another attempt");
    }

    @Override
    public void deadLetter(String reason) {
        wish = new RequestedOutcome(null, Objects.requireNonNull(reason, "reason"));
    }

    @Override
    public boolean extend(Duration lease) {
        if (lease.isZero() || lease.isNegative() || lease.compareTo(Duration.ofDays(1)) > 0) {
            throw new IllegalArgumentException("a lease must be positive and at most PT24H, not " + lease);
        }
        if (inHand.leaseNanosLeft() >= lease.toNanos()) {
            return !inHand.isLeaseLost();
        }
        var answer = inHand.settlements().submit(new Settlement.Extend(inHand, lease));
        try {
            return answer.get(commandTimeout.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return !inHand.isLeaseLost();
        } catch (ExecutionException | TimeoutException e) {
            throw new RedisUnavailableException(
                    "the lease of message '" + inHand.message().id() + "' of topic '"
                            + inHand.message().topic() + "' could not be extended in time; it is still being tried",
                    inHand.message().topic(),
                    inHand.message().id(),
                    e);
        }
    }

    @Override
    public boolean isLeaseLost() {
        return inHand.isLeaseLost();
    }

    /**
     * A wish of the handler's.
     *
     * @param retryAfter delay before another attempt; null to dead-letter the message
     * @param reason in words
     */
    record RequestedOutcome(@Nullable Duration retryAfter, String reason) {}
}
