package io.delayqueue.docs.tour;

import io.delayqueue.CancelOutcome;
import io.delayqueue.ScheduleResult;
import io.delayqueue.spring.DelayQueueOperations;
import java.time.Duration;
import org.springframework.stereotype.Service;

// tag::service[]
@Service
class Orders {

    private final DelayQueueOperations delayQueue;
    private final OrderBook orders;

    Orders(DelayQueueOperations delayQueue, OrderBook orders) {
        this.delayQueue = delayQueue;
        this.orders = orders;
    }

    ScheduleResult place(String orderId, Duration timeToPay) {
        orders.add(orderId);
        return delayQueue
                .message("order-timeout", new OrderPlaced(orderId))
                .id(orderId)
                .delay(timeToPay)
                .schedule();
    }

    CancelOutcome pay(String orderId) {
        orders.pay(orderId);
        return delayQueue.cancel("order-timeout", orderId);
    }
}
// end::service[]
