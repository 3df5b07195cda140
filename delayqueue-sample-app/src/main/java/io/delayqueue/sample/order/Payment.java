package io.delayqueue.sample.order;

import io.delayqueue.CancelOutcome;
import org.jspecify.annotations.Nullable;

/** The result of paying an order. */
public sealed interface Payment {

    Order order();

    /**
     * Paid now.
     *
     * @param timeout outcome of cancelling the timeout. {@code IN_FLIGHT}: its listener is being called, will find the order
     *     paid, and leave it alone. Null if Redis did not answer: the same holds, should the timeout be delivered.
     *     {@code AFTER_COMMIT}: with the profile {@code journal}, it is cancelled with the commit
     */
    record Accepted(Order order, @Nullable CancelOutcome timeout) implements Payment {}

    /** Paid before; nothing was done. */
    record Repeated(Order order) implements Payment {}

    /** Closed before; nothing was done. */
    record TooLate(Order order) implements Payment {}
}
