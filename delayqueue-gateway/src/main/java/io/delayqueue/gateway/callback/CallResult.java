package io.delayqueue.gateway.callback;

/** How a call ended. */
public enum CallResult {
    /** Status 2xx: the message is acked. */
    SUCCESS,
    /** Status 3xx. It is not followed. */
    REDIRECT,
    /** Status 4xx, but 410 and 429. */
    CLIENT_ERROR,
    /** Status 429, 502, 503 or 504: the target is not called for a while. */
    THROTTLED,
    /** Status 410: the target is paused. */
    GONE,
    /** Another status. */
    SERVER_ERROR,
    /** No connection, or no response in time. */
    NO_RESPONSE,
    /** The process stopped, or lost the message's lease. */
    CANCELLED;

    /** The result of a response with this status. */
    static CallResult of(int status) {
        return switch (status) {
            case 410 -> GONE;
            case 429, 502, 503, 504 -> THROTTLED;
            default ->
                switch (status / 100) {
                    case 2 -> SUCCESS;
                    case 3 -> REDIRECT;
                    case 4 -> CLIENT_ERROR;
                    default -> SERVER_ERROR;
                };
        };
    }
}
