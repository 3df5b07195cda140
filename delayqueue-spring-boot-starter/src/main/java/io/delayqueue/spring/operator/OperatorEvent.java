package io.delayqueue.spring.operator;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An operation that a caller asked for, and its outcome.
 *
 * @param caller the caller's name
 * @param operation the operation
 * @param step whether this is all of it, or the begin or end of a bulk operation
 * @param topic the topic; untrusted text, as the caller gave it
 * @param ids the first {@link #MAX_IDS} of the messages it named; empty for a topic or a bulk operation; untrusted text
 * @param outcome what happened
 * @param count number of messages that were changed; at the begin of a bulk operation, number that its plan counted
 * @param error why it was denied or failed; null otherwise
 */
public record OperatorEvent(
        String caller,
        Operation operation,
        Step step,
        String topic,
        List<String> ids,
        Outcome outcome,
        long count,
        @Nullable String error) {

    /** Maximum number of ids in an event: it is kept and logged. */
    public static final int MAX_IDS = 10;

    /** Which part of an operation. */
    public enum Step {
        /** An operation that one call did. */
        WHOLE,
        /** A bulk operation began. */
        BULK_BEGIN,
        /** A bulk operation ended. */
        BULK_END
    }

    /** The outcome of an operation, or of its step. */
    public enum Outcome {
        /** It was done. A bulk operation began, or changed all messages of its plan. */
        DONE,
        /** A journal has recorded it, and Redis has not answered yet: it is done once Redis answers, or turns out to be too late. */
        RECORDED,
        /** Nothing was done: a consumer has the message. */
        IN_FLIGHT,
        /** Nothing was done: no such topic or message. */
        NOT_FOUND,
        /** Nothing was done: the caller lacks the right. */
        DENIED,
        /** A bulk operation was stopped: it changed as many messages as the count says, and not the rest. */
        STOPPED,
        /** A call failed, and may have been executed. A bulk operation changed at least as many messages as the count says. */
        FAILED
    }

    public OperatorEvent {
        ids = List.copyOf(ids);
    }
}
