package io.delayqueue.gateway.callback;

/** Headers of a message that control its callback. They are not sent to the target. */
public final class CallbackMessageHeaders {

    /** URL that the message is sent to, in place of the topic's; only where {@code delayqueue.callbacks.<topic>.allow-message-url}. */
    public static final String URL = "delayqueue-callback-url";

    /**
     * Delays after the message's first attempt, its second and so on, in place of the topic's; the last one repeats. Separated by commas,
     * each an ISO-8601 duration or a number of seconds: {@code 5,PT1M,PT1H}.
     */
    public static final String DELAYS = "delayqueue-callback-delays";

    private CallbackMessageHeaders() {}
}
