package io.delayqueue.spring.listener;

import io.delayqueue.Delivery;
import io.delayqueue.MessageHandler;
import io.delayqueue.ReceivedMessage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.Ordered;

/**
 * Logs each failed attempt of a listener as a warning. It is called inside the observation of the listener, so that the line
 * has the ids of the trace. The engine logs timeouts, outside of it.
 */
public final class FailureLog implements DelayQueueInterceptor, Ordered {

    private static final Logger log = LoggerFactory.getLogger(FailureLog.class);

    private final LogFailures logged;

    /** A log of failures. */
    public FailureLog(LogFailures logged) {
        this.logged = logged;
    }

    @Override
    public void handle(ReceivedMessage message, Delivery delivery, MessageHandler next) throws Exception {
        try {
            next.handle(message, delivery);
        } catch (Exception | Error failure) {
            // stopping releases the message, and a timeout is logged as such
            if (!delivery.isInterrupted()) {
                log(message, failure);
            }
            throw failure;
        }
    }

    /** Just inside the observation. */
    @Override
    public int getOrder() {
        return HIGHEST_PRECEDENCE + 1;
    }

    private void log(ReceivedMessage message, Throwable failure) {
        if (logged == LogFailures.NONE) {
            return;
        }
        log.atWarn()
                .setCause(logged == LogFailures.STACK_TRACE ? failure : null)
                .log(
                        "Attempt {} of {} of message '{}' of topic '{}' failed: {}",
                        message.attempt(),
                        message.maxAttempts(),
                        message.id(),
                        message.topic(),
                        failure.toString());
    }
}
