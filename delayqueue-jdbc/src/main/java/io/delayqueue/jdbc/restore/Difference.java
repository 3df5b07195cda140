package io.delayqueue.jdbc.restore;

/**
 * A difference between Redis and the journal.
 *
 * @param kind what differs
 * @param topic the message's topic
 * @param id its id
 * @param generation tells it from other messages that have had its id
 * @param text the values of both sides
 */
public record Difference(Kind kind, String topic, String id, String generation, String text) {

    /** Kind of a difference. */
    public enum Kind {
        /** The journal has the message unfinished, and Redis does not have it. */
        ONLY_IN_JOURNAL,
        /** Redis has the message, and the journal does not know it. */
        ONLY_IN_REDIS,
        /** Both have the message, with due times that are seconds apart. */
        OTHER_DUE,
        /** Both have the message, and only one of them takes it for finished or dead. */
        OTHER_STATUS
    }
}
