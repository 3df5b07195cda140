package io.delayqueue.sample.order;

import io.delayqueue.CancelOutcome;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Something happened to an order. Published as a Spring event, for whoever wants to watch. */
public sealed interface OrderEvent {

    /** Which order. */
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
     * @param timeout what became of the scheduled timeout
     */
    record Paid(Order order, CancelOutcome timeout) implements OrderEvent {
        @Override
        public String orderId() {
            return order.id();
        }
    }

    /** The customer wanted to pay, but the order was closed already. */
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
     * A timeout came for an order that was not open any more.
     *
     * @param order null if this application doesn't know it (restarted since, its orders were in memory)
     */
    record TimeoutIgnored(String orderId, @Nullable Order order) implements OrderEvent {}
}
