package io.delayqueue.gateway.callback;

import java.time.Duration;

/** The answer to the question whether a target may be called now. */
sealed interface Admission {

    /**
     * It may. {@link Flow#ended} has to be told how the call ended.
     *
     * @param tried whether the call is tried while others are stopped
     * @param begunAt when it was granted, by {@link System#nanoTime()}
     */
    record Granted(boolean tried, long begunAt) implements Admission {}

    /**
     * It may not: the message is postponed.
     *
     * @param delay after which it should be asked again; another one for each message, so that not all come at once
     * @param reason in words
     */
    record Refused(Duration delay, String reason) implements Admission {}
}
