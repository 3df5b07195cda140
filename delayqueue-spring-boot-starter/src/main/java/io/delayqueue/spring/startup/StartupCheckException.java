package io.delayqueue.spring.startup;

import org.jspecify.annotations.Nullable;

/** The Redis server is none that messages can be kept in, or can't be reached although the application insists. */
public class StartupCheckException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final String action;

    /**
     * An exception about the server.
     *
     * @param problem what is wrong
     * @param action what to do about it
     * @param cause why, if known
     */
    public StartupCheckException(String problem, String action, @Nullable Throwable cause) {
        super(problem, cause);
        this.action = action;
    }

    /** What to do about it. */
    public String action() {
        return action;
    }
}
