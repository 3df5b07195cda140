package io.delayqueue.dashboard.access;

/** A request has no user, and the dashboard is not open. */
public final class UnauthenticatedException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    UnauthenticatedException() {
        super("The dashboard needs a user whom the application's security authenticates", null, false, false);
    }
}
