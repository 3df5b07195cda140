package io.delayqueue.spring;

import io.delayqueue.ReceivedMessage;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;

/**
 * A message delivered to a listener, its payload converted.
 *
 * @param payload its payload
 * @param topic its topic
 * @param id its id
 * @param attempt number of this attempt, from 1
 * @param maxAttempts number of attempts after which it is dead-lettered
 * @param due its due time by Redis' clock
 * @param priority its priority, 0 to 9
 * @param headers the headers it was scheduled with, unmodifiable
 * @param <T> type of the payload
 */
public record DelayQueueMessage<T>(
        T payload,
        String topic,
        String id,
        int attempt,
        int maxAttempts,
        Instant due,
        int priority,
        Map<String, String> headers) {
    public DelayQueueMessage {
        Objects.requireNonNull(payload, "payload");
        Objects.requireNonNull(topic, "topic");
        Objects.requireNonNull(id, "id");
        Objects.requireNonNull(due, "due");
        headers = Map.copyOf(headers);
    }

    /** A received message with its payload converted. */
    public static <T> DelayQueueMessage<T> of(ReceivedMessage message, T payload) {
        return new DelayQueueMessage<>(
                payload,
                message.topic(),
                message.id(),
                message.attempt(),
                message.maxAttempts(),
                message.due(),
                message.priority(),
                message.headers());
    }

    /** Topic, id, attempt and due time, but never the payload. */
    @Override
    public String toString() {
        return "DelayQueueMessage[topic=" + topic + ", id=" + id + ", attempt=" + attempt + " of " + maxAttempts
                + ", due=" + due + "]";
    }
}
