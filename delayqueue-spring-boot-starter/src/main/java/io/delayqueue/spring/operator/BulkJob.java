package io.delayqueue.spring.operator;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A bulk operation that was started, at one instant.
 *
 * @param token its plan's token, which names it
 * @param request what it does
 * @param state how far it is
 * @param startedBy name of the caller who started it
 * @param planned number of messages that its plan counted
 * @param changed number of messages changed so far
 * @param perSecond number of messages changed in a second, so far
 * @param started when it began, by this process' clock
 * @param ended when it ended; null while it runs
 * @param error why it failed; null otherwise
 */
public record BulkJob(
        String token,
        BulkRequest request,
        State state,
        String startedBy,
        long planned,
        long changed,
        double perSecond,
        Instant started,
        @Nullable Instant ended,
        @Nullable String error) {

    /** State of a job. */
    public enum State {
        /** It is running. */
        RUNNING,
        /** All of its plan is done. */
        DONE,
        /** It was stopped; the rest was not done. */
        STOPPED,
        /** A call of Redis failed; the rest was not done. The failed step may have been executed. */
        FAILED
    }
}
