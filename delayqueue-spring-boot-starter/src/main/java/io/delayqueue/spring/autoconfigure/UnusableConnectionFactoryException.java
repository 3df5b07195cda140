package io.delayqueue.spring.autoconfigure;

/** The application's Redis connection factory is none that the delay queue can use. */
public class UnusableConnectionFactoryException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final String action;

    /**
     * An exception about the connection factory.
     *
     * @param problem what is wrong
     * @param action what to do about it
     */
    public UnusableConnectionFactoryException(String problem, String action) {
        super(problem);
        this.action = action;
    }

    /** What to do about it. */
    public String action() {
        return action;
    }
}
