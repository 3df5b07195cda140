package io.delayqueue.gateway.callback;

import java.time.Duration;

/**
 * Is told of each call that this process made. Every bean of this type is. Must be quick, since its thread serves the connections of all
 * targets, and safe for use by many threads; exceptions are logged and have no effect.
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
}
