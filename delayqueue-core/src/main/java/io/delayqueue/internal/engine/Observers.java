package io.delayqueue.internal.engine;

import io.delayqueue.DelayQueueObserver;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells the user's observer, and lets none of its failures near the engine. */
record Observers(DelayQueueObserver observer) {

    private static final Logger log = LoggerFactory.getLogger(DelayQueueObserver.class);

    void tell(Consumer<DelayQueueObserver> event) {
        try {
            event.accept(observer);
        } catch (RuntimeException | Error e) {
            log.warn("observer {} failed", observer, Failures.loggable(e));
        }
    }
}
