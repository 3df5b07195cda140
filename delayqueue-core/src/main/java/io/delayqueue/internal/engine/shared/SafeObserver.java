package io.delayqueue.internal.engine.shared;

import io.delayqueue.DelayQueueObserver;
import java.util.function.Consumer;

/** Calls the user's observer. Its failures are logged, once a minute, and go no further. Thread-safe. */
public final class SafeObserver {

    private final DelayQueueObserver observer;
    private final ThrottledLog problems = new ThrottledLog("Observer");

    /** @param observer the user's */
    public SafeObserver(DelayQueueObserver observer) {
        this.observer = observer;
    }

    /** Reports an event. */
    public void call(Consumer<DelayQueueObserver> event) {
        try {
            event.accept(observer);
        } catch (Throwable e) {
            problems.failed(observer.getClass().getName() + " failed on an event", e);
        }
    }

    /** Announces what is about to be done: the user's observer may refuse it by a failure, which is thrown. */
    public void announce(Consumer<DelayQueueObserver> event) {
        event.accept(observer);
    }
}
