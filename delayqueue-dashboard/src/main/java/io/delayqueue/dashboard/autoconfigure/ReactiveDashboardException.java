package io.delayqueue.dashboard.autoconfigure;

/** The dashboard is enabled in a web application without servlets. */
public final class ReactiveDashboardException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    ReactiveDashboardException() {
        super("The dashboard is enabled, but this application runs on WebFlux, and the dashboard needs servlets.");
    }
}
