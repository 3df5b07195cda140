package io.delayqueue.gateway;

import java.util.concurrent.CompletionException;

/** Finds the failure of a future inside the wrapper that later stages add. */
public final class FutureFailures {

    private FutureFailures() {}

    /** The failure without {@link CompletionException} around it. */
    public static Throwable unwrap(Throwable failure) {
        return failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
    }
}
