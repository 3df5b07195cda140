package io.delayqueue.spring;

import org.jspecify.annotations.Nullable;

/**
 * A payload could not be written as bytes, or bytes can't be read as the type asked for. A message whose bytes can't be read is
 * dead-lettered at once, so throw it only if another attempt would fail the same way.
 */
public class PayloadConversionException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /**
     * An exception about a payload.
     *
     * @param message the problem
     * @param cause the cause, or null if unknown
     */
    public PayloadConversionException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
