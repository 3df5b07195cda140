package io.delayqueue.jdbc;

/** State of a message as the journal has it. */
public enum MessageStatus {

    /** Committed, and not sent to Redis yet. */
    OUTBOX,
    /** Not sent any more, since Redis refused it too often; see the outbox's row. */
    BLOCKED,
    /** In Redis: scheduled or ready. */
    SCHEDULED,
    /** Being handled. Recorded only for attempts that take longer than a second. */
    IN_FLIGHT,
    /** A dead letter. */
    DEAD,
    /** Handled. */
    ACKED,
    /** Cancelled. */
    CANCELLED,
    /** Dropped, as its time to live was over. */
    EXPIRED,
    /** Purged by an operator, by the retention of dead letters, or with its topic. */
    PURGED,
    /** Gave way to a later message with its id. */
    REPLACED,
    /** Refused by Redis, as the topic had another message with its id. */
    REJECTED,
    /** Not scheduled, as the message with its id was to be kept. */
    KEPT,
    /** No longer in a Redis that lost nothing; its end was not recorded. */
    UNRECORDED,
    /** A state that only a newer version of this library knows. */
    OTHER;

    /** The state that a row names. */
    public static MessageStatus of(String name) {
        for (MessageStatus status : values()) {
            if (status.name().equals(name)) {
                return status;
            }
        }
        return OTHER;
    }

    /** Whether a message of this generation is done with: only a dead letter may be left again. */
    public boolean isFinished() {
        return switch (this) {
            case OUTBOX, BLOCKED, SCHEDULED, IN_FLIGHT, OTHER -> false;
            default -> true;
        };
    }
}
