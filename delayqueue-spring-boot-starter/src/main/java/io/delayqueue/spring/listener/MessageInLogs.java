package io.delayqueue.spring.listener;

import io.delayqueue.ReceivedMessage;
import org.slf4j.MDC;

/** Has every log line of a handler's thread tell its message, by SLF4J's MDC. Closing it removes that. */
final class MessageInLogs implements AutoCloseable {

    static final String TOPIC = "delayqueue.topic";
    static final String ID = "delayqueue.message.id";
    static final String ATTEMPT = "delayqueue.message.attempt";

    MessageInLogs(ReceivedMessage message) {
        MDC.put(TOPIC, message.topic());
        MDC.put(ID, message.id());
        MDC.put(ATTEMPT, String.valueOf(message.attempt()));
    }

    @Override
    public void close() {
        MDC.remove(TOPIC);
        MDC.remove(ID);
        MDC.remove(ATTEMPT);
    }
}
