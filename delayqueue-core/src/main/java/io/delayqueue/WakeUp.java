package io.delayqueue;

/** How a consumer learns that a message became due earlier than the one it is waiting for. */
public enum WakeUp {

    /** Redis tells it by publish/subscribe; the guard interval is the net. */
    PUBSUB,

    /**
     * It looks every guard interval, and at once for what this process schedules. For proxies that know no
     * publish/subscribe; no blocking command is used in either mode.
     */
    POLL
}
