package io.delayqueue;

/** Outcome of a {@code deleteTopic} call. */
public enum DeleteTopicOutcome {

    /** No key of the topic is left, and its name is not listed any more. */
    DELETED,

    /** It has pending, in-flight or dead messages and was not deleted. */
    NOT_EMPTY,

    /** No topic has this name. */
    NOT_FOUND
}
