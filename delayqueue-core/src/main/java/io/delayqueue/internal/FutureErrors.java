package io.delayqueue.internal;

import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;

/** Finds the error that a future failed with inside the wrappers that futures add. */
public final class FutureErrors {

    private FutureErrors() {}

    /** The error without {@link CompletionException} and {@link ExecutionException} around it. */
    public static Throwable unwrap(Throwable error) {
        Throwable inner = error;
        while ((inner instanceof CompletionException || inner instanceof ExecutionException)
                && inner.getCause() != null) {
            inner = inner.getCause();
        }
        return inner;
    }
}
