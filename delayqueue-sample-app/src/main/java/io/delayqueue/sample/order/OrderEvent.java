package io.delayqueue.sample.order;

import io.delayqueue.CancelOutcome;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A change of an order, published as a Spring event. */
public sealed interface OrderEvent {

    /** Id of the order. */
    String orderId();

    record Placed(Order order) implements OrderEvent {
        @Override
        public String orderId() {
            return order.id();
        }
    }

    /**
     * Paid in time.
     *
     * @param timeout outcome of cancelling its timeout; null if Redis did not answer
     */
    record Paid(Order order, @Nullable CancelOutcome timeout) implements OrderEvent {
        @Override
        public String orderId() {
            return order.id();
        }
    }

    /** A payment was refused: the order was closed before. */
    record PaidTooLate(Order order) implements OrderEvent {
        @Override
        public String orderId() {
            return order.id();
        }
    }

    /**
     * Closed unpaid.
     *
     * @param lateness how long after the due time
     */
    record Closed(Order order, Duration lateness) implements OrderEvent {
        @Override
        public String orderId() {
            return order.id();
        }
    }

    /**
     * A timeout was delivered for an order that is no longer open.
     *
     * @param order null if the order is unknown: the database is in memory and doesn't survive a restart
     */
    record TimeoutIgnored(String orderId, @Nullable Order order) implements OrderEvent {}
}
