package io.delayqueue.gateway.callback;

/** A call failed, and is to be repeated. The text says why. */
final class CallbackFailedException extends Exception {

    private static final long serialVersionUID = 1L;

    CallbackFailedException(String reason) {
        // many targets may be down at once, and the place is always the same
        super(reason, null, false, false);
    }
}
