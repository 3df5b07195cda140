package io.delayqueue.gateway.callback;

import java.time.Duration;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells each of several observers, whatever the others throw. Thread-safe. */
final class CallbackObservers implements CallbackObserver {

    private static final Logger log = LoggerFactory.getLogger(CallbackObservers.class);

    private final List<CallbackObserver> observers;

    CallbackObservers(List<CallbackObserver> observers) {
        this.observers = List.copyOf(observers);
    }

    @Override
    public void called(String topic, String target, CallResult result, Duration duration) {
        for (CallbackObserver observer : observers) {
            try {
                observer.called(topic, target, result, duration);
            } catch (RuntimeException e) {
                log.warn("An observer of callbacks failed", e);
            }
        }
    }
}
