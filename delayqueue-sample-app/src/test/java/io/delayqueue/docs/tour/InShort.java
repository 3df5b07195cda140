package io.delayqueue.docs.tour;

import io.delayqueue.spring.DelayQueueOperations;
import io.delayqueue.spring.annotation.DelayQueueListener;
import java.time.Duration;

/** The first lines of the README. */
class InShort {

    private final DelayQueueOperations delayQueue;
    private final OrderBook orders;

    InShort(DelayQueueOperations delayQueue, OrderBook orders) {
        this.delayQueue = delayQueue;
        this.orders = orders;
    }

    // tag::in-short[]
    void place(String orderId) {
        delayQueue.schedule("order-timeout", new OrderPlaced(orderId), Duration.ofMinutes(30));
    }

    @DelayQueueListener(topic = "order-timeout")
    void closeUnpaidOrder(OrderPlaced order) {
        orders.closeUnlessPaid(order.orderId());
    }
    // end::in-short[]
}
