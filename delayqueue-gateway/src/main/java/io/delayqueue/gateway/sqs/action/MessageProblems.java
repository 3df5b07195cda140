package io.delayqueue.gateway.sqs.action;

import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Logs messages that can't be shown completely: the first at once, then one a minute. Safe for use by several threads. */
public final class MessageProblems {

    private static final Logger log = LoggerFactory.getLogger(MessageProblems.class);
    private static final long INTERVAL_NANOS = 60_000_000_000L;

    private final AtomicLong told = new AtomicLong(System.nanoTime() - INTERVAL_NANOS);

    /** The value of the header stays untold: it belongs to the payload. */
    void attributesUnreadable(String topic, String id, RuntimeException failure) {
        long now = System.nanoTime();
        long last = told.get();
        if (now - last >= INTERVAL_NANOS && told.compareAndSet(last, now)) {
            log.warn(
                    "Message '{}' of topic '{}' is delivered to an SQS client without message attributes: its header {} does"
                            + " not hold the JSON of attributes ({}). Only the endpoint for SQS clients should set it. Further"
                            + " such messages are logged once a minute",
                    id,
                    topic,
                    OutgoingSqsMessage.ATTRIBUTES_HEADER,
                    failure.getClass().getSimpleName());
        }
    }
}
