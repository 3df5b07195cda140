package io.delayqueue.gateway.callback;

import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Notifies each of several observers, even if others throw. Thread-safe. */
final class CallbackObservers implements CallbackObserver {

    private static final Logger log = LoggerFactory.getLogger(CallbackObservers.class);

    private final List<CallbackObserver> observers;

    CallbackObservers(List<CallbackObserver> observers) {
        this.observers = List.copyOf(observers);
    }

    @Override
    public void called(String topic, String target, CallResult result, Duration duration) {
        tellEach(observer -> observer.called(topic, target, result, duration));
    }

    @Override
    public void resultDelayed(String topic) {
        tellEach(observer -> observer.resultDelayed(topic));
    }

    @Override
    public void resultLost(String topic) {
        tellEach(observer -> observer.resultLost(topic));
    }

    private void tellEach(Consumer<CallbackObserver> event) {
        for (CallbackObserver observer : observers) {
            try {
                event.accept(observer);
            } catch (RuntimeException e) {
                log.warn("An observer of callbacks failed", e);
            }
        }
    }
}
