package io.delayqueue.spring.autoconfigure;

/** The delay queue can't use the application's Redis connection factory. */
public class UnusableConnectionFactoryException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final String action;

    /**
     * An exception about the connection factory.
     *
     * @param problem the problem
     * @param action the remedy
     */
    public UnusableConnectionFactoryException(String problem, String action) {
        super(problem);
        this.action = action;
    }

    /** The remedy. */
    public String action() {
        return action;
    }
}
