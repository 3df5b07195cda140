package io.delayqueue.spring;

import org.jspecify.annotations.Nullable;

/** A payload could not be written as bytes, or bytes could not be read as the type asked for. */
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
