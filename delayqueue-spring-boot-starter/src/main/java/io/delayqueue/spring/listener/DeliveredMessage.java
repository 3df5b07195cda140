package io.delayqueue.spring.listener;

import io.delayqueue.Delivery;
import io.delayqueue.ReceivedMessage;
import io.delayqueue.spring.DelayQueueHeaders;
import java.util.HashMap;
import java.util.Map;
import org.springframework.messaging.MessageHeaders;
import org.springframework.messaging.support.GenericMessage;

/** A received message as a spring-messaging {@code Message}, along with the received message itself. */
final class DeliveredMessage extends GenericMessage<byte[]> {

    private static final long serialVersionUID = 1L;

    private final transient ReceivedMessage delivered;
    private final transient Delivery delivery;

    DeliveredMessage(ReceivedMessage delivered, Delivery delivery) {
        super(delivered.payload(), new Headers(headers(delivered, delivery)));
        this.delivered = delivered;
        this.delivery = delivery;
    }

    ReceivedMessage delivered() {
        return delivered;
    }

    Delivery delivery() {
        return delivery;
    }

    private static Map<String, Object> headers(ReceivedMessage message, Delivery delivery) {
        Map<String, Object> headers = new HashMap<>(message.headers());
        headers.put(DelayQueueHeaders.TOPIC, message.topic());
        headers.put(DelayQueueHeaders.ID, message.id());
        headers.put(DelayQueueHeaders.ATTEMPT, message.attempt());
        headers.put(DelayQueueHeaders.MAX_ATTEMPTS, message.maxAttempts());
        headers.put(DelayQueueHeaders.DUE, message.due());
        headers.put(DelayQueueHeaders.PRIORITY, message.priority());
        headers.put(DelayQueueHeaders.DELIVERY, delivery);
        return headers;
    }

    /** Headers without the random id and the timestamp that spring-messaging would generate. */
    private static final class Headers extends MessageHeaders {

        private static final long serialVersionUID = 1L;

        Headers(Map<String, Object> headers) {
            super(headers, ID_VALUE_NONE, -1L);
        }
    }
}
