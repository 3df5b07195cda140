package io.delayqueue.internal.engine.shared;

import io.delayqueue.DelayQueueObserver;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Calls the user's observer. Its failures are logged and go no further, nor do failures of the logger.
 *
 * @param observer the user's
 */
public record SafeObserver(DelayQueueObserver observer) {

    private static final Logger log = LoggerFactory.getLogger(DelayQueueObserver.class);

    /** Reports an event. */
    public void call(Consumer<DelayQueueObserver> event) {
        try {
            event.accept(observer);
        } catch (Throwable e) {
            report(e);
        }
    }

    private void report(Throwable error) {
        try {
            log.warn("observer {} failed", observer, Failures.loggable(error));
        } catch (Throwable e) {
            // the caller has work to do for which the observer is only told
        }
    }
}
