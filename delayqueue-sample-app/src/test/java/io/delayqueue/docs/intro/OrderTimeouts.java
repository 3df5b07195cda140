package io.delayqueue.docs.intro;

import io.delayqueue.spring.DelayQueueOperations;
import io.delayqueue.spring.annotation.DelayQueueListener;
import java.time.Duration;

/** The first lines of the README. */
class OrderTimeouts {

    private final DelayQueueOperations delayQueue;
    private final Orders orders;

    OrderTimeouts(DelayQueueOperations delayQueue, Orders orders) {
        this.delayQueue = delayQueue;
        this.orders = orders;
    }

    // tag::intro[]
    void place(String orderId) {
        delayQueue.schedule("order-timeout", new OrderPlaced(orderId), Duration.ofMinutes(30));
    }

    @DelayQueueListener(topic = "order-timeout")
    void closeUnpaidOrder(OrderPlaced order) {
        orders.closeUnlessPaid(order.orderId());
    }
    // end::intro[]

    record OrderPlaced(String orderId) {}

    interface Orders {

        void closeUnlessPaid(String orderId);
    }
}
