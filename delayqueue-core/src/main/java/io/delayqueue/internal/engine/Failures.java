package io.delayqueue.internal.engine;

import io.delayqueue.DelayQueueException;
import java.io.PrintWriter;
import java.io.Writer;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/** Reads failures: what is behind a wrapper, and how to put one into words that fit into Redis. */
final class Failures {

    private static final int LONGEST = 2000;
    private static final int MOST_CAUSES = 5;

    private Failures() {}

    static Throwable cause(Throwable error) {
        Throwable cause = error.getCause();
        return (error instanceof CompletionException || error instanceof ExecutionException) && cause != null
                ? cause(cause)
                : error;
    }

    /** The exception and its causes, at most 2,000 characters. */
    static String describe(Throwable error) {
        StringBuilder text = new StringBuilder(safeToString(error));
        Throwable cause = safeCause(error);
        for (int i = 0; i < MOST_CAUSES && cause != null && text.length() < LONGEST; i++) {
            text.append("; caused by: ").append(safeToString(cause));
            cause = safeCause(cause);
        }
        return bounded(text.toString());
    }

    /** The exception itself, or its words alone if a logger that asks it for more would fail. */
    static Throwable loggable(Throwable error) {
        try {
            error.printStackTrace(new PrintWriter(Writer.nullWriter()));
            return error;
        } catch (RuntimeException | Error e) {
            return new DelayQueueException(describe(error), null, null, null);
        }
    }

    static String bounded(String text) {
        return text.length() <= LONGEST ? text : text.substring(0, LONGEST - 1) + "…";
    }

    private static @Nullable Throwable safeCause(Throwable error) {
        try {
            return error.getCause();
        } catch (RuntimeException | Error e) {
            return null;
        }
    }

    private static String safeToString(Throwable error) {
        try {
            String text = error.toString();
            return text != null ? text : error.getClass().getName();
        } catch (RuntimeException | Error e) {
            return error.getClass().getName();
        }
    }
}
