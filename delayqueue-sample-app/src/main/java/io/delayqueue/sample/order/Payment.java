package io.delayqueue.sample.order;

import io.delayqueue.CancelOutcome;

/** The result of paying an order. */
public sealed interface Payment {

    Order order();

    /**
     * Paid now.
     *
     * @param timeout outcome of cancelling the timeout. {@code IN_FLIGHT}: its listener is being called, will find the order
     *     paid, and leave it alone.
     */
    record Accepted(Order order, CancelOutcome timeout) implements Payment {}

    /** Paid before; nothing was done. */
    record Repeated(Order order) implements Payment {}

    /** Closed before; nothing was done. */
    record TooLate(Order order) implements Payment {}
}
