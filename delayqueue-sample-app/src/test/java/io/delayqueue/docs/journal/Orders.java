package io.delayqueue.docs.journal;

import io.delayqueue.spring.DelayQueueOperations;
import java.time.Duration;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

// tag::writing[]
@Service
class Orders {

    private final JdbcClient jdbc;
    private final DelayQueueOperations delayQueue;

    Orders(JdbcClient jdbc, DelayQueueOperations delayQueue) {
        this.jdbc = jdbc;
        this.delayQueue = delayQueue;
    }

    @Transactional
    public void place(String order) {
        jdbc.sql("INSERT INTO orders (number) VALUES (?)").param(order).update();
        delayQueue
                .message("payment-overdue", order)
                .id(order)
                .delay(Duration.ofDays(3))
                .schedule();
    }

    @Transactional
    public void pay(String order) {
        jdbc.sql("UPDATE orders SET paid = TRUE WHERE number = ?").param(order).update();
        delayQueue.cancel("payment-overdue", order);
    }
}
// end::writing[]
