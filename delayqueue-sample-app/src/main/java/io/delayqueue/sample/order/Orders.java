package io.delayqueue.sample.order;

import io.delayqueue.CancelOutcome;
import io.delayqueue.DelayQueueException;
import io.delayqueue.DuplicatePolicy;
import io.delayqueue.ScheduleOutcome;
import io.delayqueue.ScheduleResult;
import io.delayqueue.sample.order.Order.State;
import io.delayqueue.spring.DelayQueueOperations;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Profile;
import org.springframework.stereotype.Service;

/** Places and pays orders. Placing schedules a timeout, paying cancels it. With the profile {@code journal}, both are transactions. */
@Service
@Profile("!journal")
public class Orders {

    /** Topic of the timeouts. A message has the id of its order. */
    public static final String TIMEOUT_TOPIC = "order-timeout";

    private static final Logger log = LoggerFactory.getLogger(Orders.class);

    private final DelayQueueOperations queue;
    private final OrderBook book;
    private final ApplicationEventPublisher events;

    Orders(DelayQueueOperations queue, OrderBook book, ApplicationEventPublisher events) {
        this.queue = queue;
        this.book = book;
        this.events = events;
    }

    /**
     * Places an order that is closed after this time unless it is paid. The order is committed before its timeout is
     * scheduled, so that no timeout looks for it in vain, and no connection of the database waits for Redis.
     */
    public Order place(String id, String customer, BigDecimal amount, Duration paymentTimeout) {
        Instant now = Instant.now();
        Order order = new Order(id, customer, amount, State.PLACED, now, now.plus(paymentTimeout), null);
        book.add(order);
        try {
            ScheduleResult timeout = queue.message(TIMEOUT_TOPIC, new PaymentTimeout(id))
                    .id(id)
                    .delay(paymentTimeout)
                    .ifExists(DuplicatePolicy.REPLACE)
                    .schedule();
            if (timeout.outcome() == ScheduleOutcome.REJECTED_DUPLICATE) {
                book.remove(id);
                throw new IllegalStateException("the timeout of an earlier order " + id + " is being handled now");
            }
        } catch (DelayQueueException e) {
            book.remove(id); // without its timeout, nothing would ever close it
            throw e;
        }
        events.publishEvent(new OrderEvent.Placed(order));
        return order;
    }

    /** Pays an order and cancels its timeout. Empty if there is no such order. */
    public Optional<Payment> pay(String id) {
        return book.end(id, State.PAID, Instant.now()).map(ending -> {
            Order order = ending.order();
            if (ending.won()) {
                CancelOutcome timeout = cancelTimeout(id);
                events.publishEvent(new OrderEvent.Paid(order, timeout));
                return new Payment.Accepted(order, timeout);
            }
            if (order.state() == State.PAID) {
                return new Payment.Repeated(order);
            }
            events.publishEvent(new OrderEvent.PaidTooLate(order));
            return new Payment.TooLate(order);
        });
    }

    /** Spares a delivery, and no more: the timeout of a paid order changes nothing. So Redis may be away. */
    private @Nullable CancelOutcome cancelTimeout(String id) {
        try {
            return queue.cancel(TIMEOUT_TOPIC, id);
        } catch (DelayQueueException e) {
            log.warn("The timeout of order {} may still be delivered, and will find it paid: {}", id, e.getMessage());
            return null;
        }
    }

    /** The order of this id; empty if there is none. */
    public Optional<Order> find(String id) {
        return book.find(id);
    }

    /** All orders, oldest first. */
    public List<Order> all() {
        return book.all();
    }
}
