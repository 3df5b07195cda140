package io.delayqueue.spring.startup;

import org.jspecify.annotations.Nullable;

/** The Redis server is unusable, or unavailable while {@code delayqueue.fail-fast} is on. */
public class StartupCheckException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final String action;

    /**
     * An exception about the server.
     *
     * @param problem the problem
     * @param action the remedy
     * @param cause the cause, or null if unknown
     */
    public StartupCheckException(String problem, String action, @Nullable Throwable cause) {
        super(problem, cause);
        this.action = action;
    }

    /** The remedy. */
    public String action() {
        return action;
    }
}
