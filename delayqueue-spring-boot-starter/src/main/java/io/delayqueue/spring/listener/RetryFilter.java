package io.delayqueue.spring.listener;

import java.util.List;
import java.util.function.Predicate;

/**
 * Which failures are worth another attempt. The failure and its causes are looked at: one of {@code noRetryFor}, or an
 * {@link UnprocessableMessageException}, is not; else one of {@code retryFor} is; else it is if {@code retryFor} is empty.
 *
 * @param retryFor failures worth another attempt; empty for all
 * @param noRetryFor failures not worth another attempt
 */
record RetryFilter(List<Class<? extends Throwable>> retryFor, List<Class<? extends Throwable>> noRetryFor)
        implements Predicate<Throwable> {

    /** Chains of causes may be circular. */
    private static final int DEEPEST_CAUSE = 100;

    RetryFilter {
        retryFor = List.copyOf(retryFor);
        noRetryFor = List.copyOf(noRetryFor);
    }

    @Override
    public boolean test(Throwable failure) {
        boolean wanted = retryFor.isEmpty();
        Throwable cause = failure;
        for (int depth = 0; cause != null && depth < DEEPEST_CAUSE; depth++) {
            if (cause instanceof UnprocessableMessageException || isOneOf(noRetryFor, cause)) {
                return false;
            }
            wanted |= isOneOf(retryFor, cause);
            cause = cause.getCause();
        }
        return wanted;
    }

    private static boolean isOneOf(List<Class<? extends Throwable>> types, Throwable failure) {
        return types.stream().anyMatch(type -> type.isInstance(failure));
    }
}
