package io.delayqueue.spring.listener;

import java.util.function.Predicate;

/**
 * Decides which failures of a listener get another attempt. An {@link UnprocessableMessageException} gets none, also as a cause. A
 * failure that is not the listener's own, such as of a converter or an interceptor, gets one. The listener's predicate decides about
 * its own failures.
 *
 * @param ofListener the listener's predicate
 */
record ListenerRetries(Predicate<Throwable> ofListener) implements Predicate<Throwable> {

    @Override
    public boolean test(Throwable failure) {
        if (failure instanceof SurroundingFailureException) {
            return true;
        }
        return !isUnprocessable(failure) && ofListener.test(failure);
    }

    /** Whether the listener's predicate decides about a failure, and so must be told if it is not the listener's own. */
    boolean asksListener(Throwable failure) {
        return !ofListener.equals(DelayQueueListenerEndpoint.RETRY_ALL) && !isUnprocessable(failure);
    }

    private static boolean isUnprocessable(Throwable failure) {
        return Causes.of(failure).anyMatch(UnprocessableMessageException.class::isInstance);
    }
}
