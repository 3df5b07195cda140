package io.delayqueue.jdbc.inbox;

import io.delayqueue.Delivery;
import java.time.Duration;

/** A delivery that tells whether its handler wants the message to be delivered again. */
final class WatchedDelivery implements Delivery {

    private final Delivery delivery;
    private volatile boolean unfinished;

    WatchedDelivery(Delivery delivery) {
        this.delivery = delivery;
    }

    /** Whether another attempt or a dead letter was asked for, which may be redriven. */
    boolean isUnfinished() {
        return unfinished;
    }

    @Override
    public void retryAfter(Duration delay) {
        delivery.retryAfter(delay);
        unfinished = true;
    }

    @Override
    public void postpone(Duration delay) {
        delivery.postpone(delay);
        unfinished = true;
    }

    @Override
    public void deadLetter(String reason) {
        delivery.deadLetter(reason);
        unfinished = true;
    }

    @Override
    public boolean extend(Duration lease) {
        return delivery.extend(lease);
    }

    @Override
    public boolean isLeaseLost() {
        return delivery.isLeaseLost();
    }

    @Override
    public boolean isInterrupted() {
        return delivery.isInterrupted();
    }
}
