package io.delayqueue.sample.order;

import io.delayqueue.spring.DelayQueueOperations;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.Optional;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Profile;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** Orders whose timeouts are part of the database's transaction: both are committed, or neither. No transaction waits for Redis. */
@Service
@Profile("journal")
class JournaledOrders extends Orders {

    JournaledOrders(DelayQueueOperations queue, OrderBook book, ApplicationEventPublisher events) {
        super(queue, book, events);
    }

    @Override
    @Transactional
    public Order place(String id, String customer, BigDecimal amount, Duration paymentTimeout) {
        return super.place(id, customer, amount, paymentTimeout);
    }

    @Override
    @Transactional
    public Optional<Payment> pay(String id) {
        return super.pay(id);
    }
}
