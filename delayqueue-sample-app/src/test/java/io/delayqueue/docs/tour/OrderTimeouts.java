package io.delayqueue.docs.tour;

import io.delayqueue.spring.annotation.DelayQueueListener;
import io.delayqueue.spring.annotation.RetryBackoff;
import org.springframework.stereotype.Component;

// tag::listener[]
@Component
class OrderTimeouts {

    private final OrderBook orders;

    OrderTimeouts(OrderBook orders) {
        this.orders = orders;
    }

    @DelayQueueListener(
            topic = "order-timeout",
            maxAttempts = "5",
            backoff = @RetryBackoff(initial = "10s", max = "5m"))
    void closeUnpaidOrder(OrderPlaced order) {
        orders.closeUnlessPaid(order.orderId());
    }
}
// end::listener[]
