package io.delayqueue.sample.order;

import io.delayqueue.CancelOutcome;

/** What came of paying an order. */
public sealed interface Payment {

    Order order();

    /**
     * Paid now.
     *
     * @param timeout whether the timeout could be cancelled. {@code IN_FLIGHT} means that it was just being handled: its
     *     listener will find the order paid, and leave it alone.
     */
    record Accepted(Order order, CancelOutcome timeout) implements Payment {}

    /** Paid before; nothing was done. */
    record Repeated(Order order) implements Payment {}

    /** Closed before; nothing was done. */
    record TooLate(Order order) implements Payment {}
}
