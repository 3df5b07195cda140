package io.delayqueue.test;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when the server can't be started or controlled; the message has the cause, and the last lines of the server's log
 * if there is one.
 */
public class EmbeddedRedisException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    EmbeddedRedisException(String message) {
        this(message, null);
    }

    EmbeddedRedisException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
