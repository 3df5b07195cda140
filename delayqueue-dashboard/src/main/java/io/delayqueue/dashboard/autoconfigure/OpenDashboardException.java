package io.delayqueue.dashboard.autoconfigure;

/** The dashboard is enabled, but nothing tells its users apart. */
public final class OpenDashboardException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    OpenDashboardException() {
        super("The dashboard would let nobody in, or everyone: this application has no Spring Security.");
    }
}
