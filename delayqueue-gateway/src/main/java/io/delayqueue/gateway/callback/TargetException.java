package io.delayqueue.gateway.callback;

/** A URL to which no callback may be sent. The text says why, and does not contain the URL. */
final class TargetException extends IllegalArgumentException {

    private static final long serialVersionUID = 1L;

    TargetException(String reason) {
        super(reason);
    }
}
