package io.delayqueue.gateway.sqs.protocol;

import org.jspecify.annotations.Nullable;

/** A request ends with an error of SQS. The message goes to the client: it has no payload and no secret. */
public final class SqsException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final SqsError error;

    public SqsException(SqsError error, String message) {
        this(error, message, null);
    }

    /** @param cause a failure for the log; null if the request alone is to blame */
    SqsException(SqsError error, String message, @Nullable Throwable cause) {
        super(message, cause, false, false);
        this.error = error;
    }

    /** The error. */
    public SqsError error() {
        return error;
    }

    /** The message, never null. */
    @Override
    public String getMessage() {
        return String.valueOf(super.getMessage());
    }
}
