package io.delayqueue.gateway.callback;

import java.time.Duration;

/**
 * Receives each call that this process made, and results that can't be scheduled. All beans of this type are called. Must be quick, since
 * its thread serves the connections of all targets, and safe for use by many threads; exceptions are logged and have no effect.
 */
@FunctionalInterface
public interface CallbackObserver {

    /**
     * A call ended.
     *
     * @param topic topic of the message
     * @param target key of the target
     * @param result how it ended
     * @param duration time since it began
     */
    void called(String topic, String target, CallResult result, Duration duration);

    /**
     * A message about a result could not be scheduled yet. It is tried again; the call is not repeated. Does nothing by default.
     *
     * @param topic topic of the callback
     */
    default void resultDelayed(String topic) {}

    /**
     * A message about a result can't be scheduled, and is not tried again: it is refused, too many wait, or the process stops. Does nothing
     * by default.
     *
     * @param topic topic of the callback
     */
    default void resultLost(String topic) {}
}
