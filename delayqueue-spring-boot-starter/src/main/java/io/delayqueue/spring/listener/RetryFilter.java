package io.delayqueue.spring.listener;

import java.util.List;
import java.util.function.Predicate;

/**
 * Decides by {@code retryFor} and {@code noRetryFor} of the annotation which failures get another attempt, by the failure and its
 * causes. One of {@code noRetryFor} gets none; otherwise one of {@code retryFor} gets one, or any failure if {@code retryFor} is empty.
 *
 * @param retryFor failures that get another attempt; empty for all
 * @param noRetryFor failures that get none; takes precedence over {@code retryFor}
 */
record RetryFilter(List<Class<? extends Throwable>> retryFor, List<Class<? extends Throwable>> noRetryFor)
        implements Predicate<Throwable> {

    RetryFilter {
        retryFor = List.copyOf(retryFor);
        noRetryFor = List.copyOf(noRetryFor);
    }

    @Override
    public boolean test(Throwable failure) {
        if (Causes.of(failure).anyMatch(cause -> isOneOf(noRetryFor, cause))) {
            return false;
        }
        return retryFor.isEmpty() || Causes.of(failure).anyMatch(cause -> isOneOf(retryFor, cause));
    }

    private static boolean isOneOf(List<Class<? extends Throwable>> types, Throwable failure) {
        return types.stream().anyMatch(type -> type.isInstance(failure));
    }
}
