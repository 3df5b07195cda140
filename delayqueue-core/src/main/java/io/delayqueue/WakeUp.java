package io.delayqueue;

/**
 * How a consumer learns of a message that is due before the one it waits for. No blocking command is used in either mode.
 */
public enum WakeUp {

    /** Redis notifies the consumer by publish/subscribe. The guard interval bounds the lateness if a notification is lost. */
    PUBSUB,

    /**
     * The consumer asks Redis once a guard interval, and at once for a message that its own process schedules. For proxies
     * that don't support publish/subscribe.
     */
    POLL
}
