package io.delayqueue.spring.listener;

import io.delayqueue.ReceivedMessage;
import org.slf4j.MDC;

/** Adds topic, id and attempt of a message to all log lines of its handler's thread, by SLF4J's MDC, until it is closed. */
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
