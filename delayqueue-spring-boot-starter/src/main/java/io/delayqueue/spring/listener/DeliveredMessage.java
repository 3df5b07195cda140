package io.delayqueue.spring.listener;

import io.delayqueue.Delivery;
import io.delayqueue.ReceivedMessage;
import io.delayqueue.spring.DelayQueueHeaders;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.messaging.Message;
import org.springframework.messaging.MessageHeaders;

/**
 * A received message as a spring-messaging {@code Message}, along with the received message itself. It makes the headers when a parameter
 * asks for them: most listeners have none that does. Exceptions hold it, so other threads may look at it later: they see the same headers,
 * or equal ones.
 */
final class DeliveredMessage implements Message<byte[]> {

    private final ReceivedMessage delivered;
    private final Delivery delivery;
    private @Nullable MessageHeaders headers;

    DeliveredMessage(ReceivedMessage delivered, Delivery delivery) {
        this.delivered = delivered;
        this.delivery = delivery;
    }

    ReceivedMessage delivered() {
        return delivered;
    }

    Delivery delivery() {
        return delivery;
    }

    @Override
    public byte[] getPayload() {
        return delivered.payload();
    }

    @Override
    public MessageHeaders getHeaders() {
        MessageHeaders made = headers;
        if (made == null) {
            made = new Headers(headers(delivered, delivery));
            headers = made;
        }
        return made;
    }

    @Override
    public String toString() {
        return delivered.toString();
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
