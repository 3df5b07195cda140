package io.delayqueue.jdbc.restore;

/** A restore has to end before it is done: another instance goes on, or the application stops. Its changes stay. */
public final class RestoreEndedException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    RestoreEndedException(String message) {
        super(message);
    }
}
