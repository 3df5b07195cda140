package io.delayqueue.internal.engine;

/** Tells that a message was not sent, and why. Without a stack, as a bulk may have very many. Callers never see it. */
final class UnsentException extends Exception {

    private static final long serialVersionUID = 1L;

    private final Throwable reason;

    UnsentException(Throwable reason) {
        super(null, reason, false, false);
        this.reason = reason;
    }

    Throwable reason() {
        return reason;
    }
}
