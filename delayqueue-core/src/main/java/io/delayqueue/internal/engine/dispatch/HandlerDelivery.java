package io.delayqueue.internal.engine.dispatch;

import io.delayqueue.Delay;
import io.delayqueue.Delivery;
import io.delayqueue.RedisUnavailableException;
import io.delayqueue.internal.engine.settle.InFlightMessage;
import io.delayqueue.internal.engine.settle.Settlements;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** The {@link Delivery} of one message to its handler. */
final class HandlerDelivery implements Delivery {

    private static final Duration MAX_LEASE = Duration.ofDays(1);

    private final InFlightMessage message;
    private final Settlements settlements;
    private final Duration commandTimeout;
    private volatile @Nullable RequestedOutcome requested;

    HandlerDelivery(InFlightMessage message, Settlements settlements, Duration commandTimeout) {
        this.message = message;
        this.settlements = settlements;
        this.commandTimeout = commandTimeout;
    }

    /** The outcome that the handler asked for; null for none. */
    @Nullable
    RequestedOutcome requested() {
        return requested;
    }

    @Override
    public void retryAfter(Duration delay) {
        requested = new RequestedOutcome(checked(delay), true, "the handler asked for another attempt");
    }

    @Override
    public void postpone(Duration delay) {
        requested = new RequestedOutcome(checked(delay), false, "the handler postponed the message");
    }

    private static Duration checked(Duration delay) {
        Delay.of(delay);
        return delay.isNegative() ? Duration.ZERO : delay;
    }

    @Override
    public void deadLetter(String reason) {
        requested = new RequestedOutcome(null, true, Objects.requireNonNull(reason, "reason"));
    }

    @Override
    public boolean extend(Duration lease) {
        if (lease.isZero() || lease.isNegative() || lease.compareTo(MAX_LEASE) > 0) {
            throw new IllegalArgumentException("a lease must be positive and at most " + MAX_LEASE + ", not " + lease);
        }
        if (message.leaseNanosLeft() >= lease.toNanos()) {
            return !message.isLeaseLost();
        }
        try {
            return settlements.extend(message, lease).get(commandTimeout.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return !message.isLeaseLost();
        } catch (ExecutionException | TimeoutException e) {
            String topic = message.message().topic();
            String id = message.message().id();
            throw new RedisUnavailableException(
                    "the lease of message '" + id + "' of topic '" + topic + "' could not be extended within "
                            + commandTimeout + "; still retrying",
                    topic,
                    id,
                    e);
        }
    }

    @Override
    public boolean isLeaseLost() {
        return message.isLeaseLost();
    }

    @Override
    public boolean isInterrupted() {
        return message.isInterrupted();
    }
}
