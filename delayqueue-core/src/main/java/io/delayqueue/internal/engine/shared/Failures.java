package io.delayqueue.internal.engine.shared;

import io.delayqueue.DelayQueueException;
import java.io.PrintWriter;
import java.io.Writer;
import org.jspecify.annotations.Nullable;

/** Describes failures in text that is short enough to be kept in Redis, and safe to log. */
public final class Failures {

    /** Characters of an error that are kept with a dead letter: enough for its causes, small beside a payload. */
    private static final int MAX_DESCRIPTION = 2000;

    /** Deeper causes rarely say anything new. */
    private static final int MAX_CAUSES = 5;

    private Failures() {}

    /** The exception and its causes, at most 2,000 characters. */
    public static String describe(Throwable error) {
        StringBuilder text = new StringBuilder(safeToString(error));
        Throwable cause = safeCause(error);
        for (int i = 0; i < MAX_CAUSES && cause != null && text.length() < MAX_DESCRIPTION; i++) {
            text.append("; caused by: ").append(safeToString(cause));
            cause = safeCause(cause);
        }
        return bounded(text.toString());
    }

    /** The exception itself, or its description if a logger would fail on printing it. */
    public static Throwable loggable(Throwable error) {
        try {
            error.printStackTrace(new PrintWriter(Writer.nullWriter()));
            return error;
        } catch (RuntimeException | Error e) {
            return new DelayQueueException(describe(error), null, null, null);
        }
    }

    /** The text, cut to the length that is kept. */
    public static String bounded(String text) {
        return text.length() <= MAX_DESCRIPTION ? text : text.substring(0, MAX_DESCRIPTION - 1) + "…";
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
