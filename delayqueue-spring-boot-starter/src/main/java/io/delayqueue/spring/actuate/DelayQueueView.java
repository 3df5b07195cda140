package io.delayqueue.spring.actuate;

import java.util.Locale;

/** A part of a topic that the endpoint shows alone, or the bulk operations. */
public enum DelayQueueView {
    /** Pending messages by due time. */
    PENDING,
    /** Messages in flight, those whose leases end first, and the instances that hold them. */
    IN_FLIGHT,
    /** Dead letters, latest first. */
    DEAD_LETTERS,
    /** Numbers of pending messages by due time. */
    LOAD,
    /** The latest dead letters by error. */
    ERRORS,
    /** The story of an id: the events of all its messages, if the application has a journal; needs an id. */
    STORY,
    /** Bulk operations; of no topic. */
    JOBS;

    /** As requests write it, such as {@code dead-letters}; case and dashes don't matter. */
    String text() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
