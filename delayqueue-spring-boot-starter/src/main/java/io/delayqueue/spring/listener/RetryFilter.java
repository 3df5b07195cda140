package io.delayqueue.spring.listener;

import java.util.List;
import java.util.function.Predicate;

/**
 * Decides which failures get another attempt, by the failure and its causes. An {@link UnprocessableMessageException} or one
 * of {@code noRetryFor} gets none; otherwise one of {@code retryFor} gets one, or any failure if {@code retryFor} is empty. A
 * failure that the listener's method did not throw gets one.
 *
 * @param retryFor failures that get another attempt; empty for all
 * @param noRetryFor failures that get none; takes precedence over {@code retryFor}
 */
record RetryFilter(List<Class<? extends Throwable>> retryFor, List<Class<? extends Throwable>> noRetryFor)
        implements Predicate<Throwable> {

    /** Maximum number of causes looked at, since a chain of causes may be circular. */
    private static final int MAX_CAUSES = 100;

    RetryFilter {
        retryFor = List.copyOf(retryFor);
        noRetryFor = List.copyOf(noRetryFor);
    }

    @Override
    public boolean test(Throwable failure) {
        if (failure instanceof SurroundingFailureException) {
            return true;
        }
        boolean retryable = retryFor.isEmpty();
        Throwable cause = failure;
        for (int depth = 0; cause != null && depth < MAX_CAUSES; depth++) {
            if (cause instanceof UnprocessableMessageException || isOneOf(noRetryFor, cause)) {
                return false;
            }
            retryable |= isOneOf(retryFor, cause);
            cause = cause.getCause();
        }
        return retryable;
    }

    /** Whether the failure gets no other attempt only if the listener's method threw it. */
    boolean refuses(Throwable failure) {
        return !test(failure) && new RetryFilter(List.of(), List.of()).test(failure);
    }

    private static boolean isOneOf(List<Class<? extends Throwable>> types, Throwable failure) {
        return types.stream().anyMatch(type -> type.isInstance(failure));
    }
}
