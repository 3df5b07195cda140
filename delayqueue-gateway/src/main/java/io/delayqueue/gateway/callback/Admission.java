package io.delayqueue.gateway.callback;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The answer to the question whether a target may be called now. */
sealed interface Admission {

    /**
     * The target may be called; {@link Flow#ended} has to be told how the call ended.
     *
     * @param tried whether the call is tried while others are stopped
     * @param begunAt when it was granted, by {@link System#nanoTime()}
     * @param ofUrl that of the URL; null if the URL has no flow of its own
     */
    record Granted(boolean tried, long begunAt, @Nullable OfUrl ofUrl) implements Admission {

        Granted(boolean tried, long begunAt) {
            this(tried, begunAt, null);
        }

        Granted with(OfUrl granted) {
            return new Granted(tried, begunAt, granted);
        }
    }

    /**
     * A call that the flow of a URL granted.
     *
     * @param url key of the URL
     */
    record OfUrl(String url, Flow flow, Granted granted) {}

    /**
     * The target may not be called now, so the message is postponed.
     *
     * @param delay after which it should be asked again; another one for each message, so that not all come at once
     * @param reason in words
     */
    record Refused(Duration delay, String reason) implements Admission {}
}
