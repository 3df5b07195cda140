package io.delayqueue.spring.listener;

/**
 * A message does not fit its listener's parameters. It can't be read as the parameter's type, is not valid, or a required
 * header is missing or of the wrong type. Another attempt would fail the same way, so it is dead-lettered at once.
 */
public class UnprocessableMessageException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /**
     * An exception about a message.
     *
     * @param message the problem
     * @param cause the cause
     */
    public UnprocessableMessageException(String message, Throwable cause) {
        super(message, cause);
    }
}
