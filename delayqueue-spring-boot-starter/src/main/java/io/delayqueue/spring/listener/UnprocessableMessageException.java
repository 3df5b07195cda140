package io.delayqueue.spring.listener;

/**
 * A message can't be made into its listener's arguments: not readable as the parameter's type, not valid, or a required
 * header is missing. It will not get better by trying again, so it is dead-lettered at once.
 */
public class UnprocessableMessageException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /**
     * An exception about a message.
     *
     * @param message what does not fit what
     * @param cause why
     */
    public UnprocessableMessageException(String message, Throwable cause) {
        super(message, cause);
    }
}
