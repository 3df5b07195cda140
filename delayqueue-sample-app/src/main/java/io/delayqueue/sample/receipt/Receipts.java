package io.delayqueue.sample.receipt;

import io.delayqueue.DelayQueueException;
import io.delayqueue.DuplicatePolicy;
import io.delayqueue.ScheduleOutcome;
import io.delayqueue.ScheduleResult;
import io.delayqueue.sample.NotInReplay;
import io.delayqueue.sample.order.Order;
import io.delayqueue.sample.order.OrderEvent;
import io.delayqueue.sample.receipt.MailServer.MailRefusedException;
import io.delayqueue.spring.DelayQueueMessage;
import io.delayqueue.spring.DelayQueueOperations;
import io.delayqueue.spring.annotation.DelayQueueListener;
import io.delayqueue.spring.annotation.RetryBackoff;
import jakarta.validation.Valid;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;

/** Sends a receipt for each paid order, in up to three attempts. */
@Component
@NotInReplay
class Receipts {

    static final String TOPIC = "order-receipt";

    private static final Logger log = LoggerFactory.getLogger(Receipts.class);

    private final DelayQueueOperations queue;
    private final MailServer mailServer;
    private final ApplicationEventPublisher events;

    Receipts(DelayQueueOperations queue, MailServer mailServer, ApplicationEventPublisher events) {
        this.queue = queue;
        this.mailServer = mailServer;
        this.events = events;
    }

    /** The order is paid, whatever becomes of its receipt: without Redis there is a line in the log instead. */
    @EventListener
    void schedule(OrderEvent.Paid paid) {
        Order order = paid.order();
        try {
            ScheduleResult receipt = queue.message(TOPIC, new Receipt(order.id(), order.customer(), order.amount()))
                    .id(order.id())
                    .delay(Duration.ofMillis(500))
                    .ifExists(DuplicatePolicy.REPLACE)
                    .schedule();
            if (receipt.outcome() == ScheduleOutcome.REJECTED_DUPLICATE) {
                log.info("The receipt of order {} is being sent already", order.id());
            }
        } catch (DelayQueueException e) {
            log.error("Order {} is paid; whether it gets a receipt is unknown: {}", order.id(), e.getMessage());
        }
    }

    /**
     * An exception makes the queue retry later; after the third attempt the message is dead-lettered. An invalid receipt is
     * dead-lettered at once: it would never be better.
     */
    @DelayQueueListener(topic = TOPIC, maxAttempts = "3", backoff = @RetryBackoff(delays = "1s, 2s"))
    void send(@Valid Receipt receipt, DelayQueueMessage<Receipt> message) {
        try {
            mailServer.send(receipt);
        } catch (MailRefusedException e) {
            events.publishEvent(new ReceiptEvent.Failed(
                    receipt.orderId(), String.valueOf(e.getMessage()), message.attempt(), message.maxAttempts()));
            throw e;
        }
        events.publishEvent(new ReceiptEvent.Sent(receipt.orderId(), receipt.to(), message.attempt()));
    }
}
