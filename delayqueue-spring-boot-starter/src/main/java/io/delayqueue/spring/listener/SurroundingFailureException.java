package io.delayqueue.spring.listener;

/** A failure that is not the listener method's own, such as of a converter or an interceptor: it gets another attempt. */
final class SurroundingFailureException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    SurroundingFailureException(Throwable cause) {
        super("not thrown by the listener's method, so retryFor and noRetryFor do not apply", cause);
    }
}
