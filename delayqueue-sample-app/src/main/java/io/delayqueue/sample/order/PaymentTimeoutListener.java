package io.delayqueue.sample.order;

import io.delayqueue.sample.order.Order.State;
import io.delayqueue.spring.DelayQueueMessage;
import io.delayqueue.spring.annotation.DelayQueueListener;
import io.delayqueue.spring.annotation.RetryBackoff;
import java.time.Duration;
import java.time.Instant;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.stereotype.Component;
import org.springframework.transaction.annotation.Transactional;

/** Closes the orders whose time to pay is over. */
@Component
class PaymentTimeoutListener {

    private final OrderBook book;
    private final ApplicationEventPublisher events;

    PaymentTimeoutListener(OrderBook book, ApplicationEventPublisher events) {
        this.book = book;
        this.events = events;
    }

    /**
     * Safe to be called twice for one order, as every listener must be: only an open order is closed. Its changes in the
     * database are committed before the message is acknowledged; if the commit fails, the message is delivered again: five attempts
     * within 2.5 minutes, which outlast a short outage of the database. With the defaults, the last one comes after three seconds.
     */
    @Transactional
    @DelayQueueListener(
            topic = Orders.TIMEOUT_TOPIC,
            maxAttempts = "5",
            backoff = @RetryBackoff(initial = "10s", max = "5m"))
    void closeUnpaid(DelayQueueMessage<PaymentTimeout> message) {
        Instant now = Instant.now();
        String id = message.payload().orderId();
        book.end(id, State.CLOSED, now)
                .ifPresentOrElse(
                        ending -> events.publishEvent(
                                ending.won()
                                        ? new OrderEvent.Closed(ending.order(), Duration.between(message.due(), now))
                                        : new OrderEvent.TimeoutIgnored(id, ending.order())),
                        () -> events.publishEvent(new OrderEvent.TimeoutIgnored(id, null)));
    }
}
