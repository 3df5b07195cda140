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
    /** Replaced by a later message with its id. */
    REPLACED,
    /** Refused by Redis, as the topic had another message with its id. */
    REJECTED,
    /** Not scheduled, as the message with its id was to be kept. */
    KEPT,
    /** Ended without a record: Redis no longer has the message, and has lost no data. */
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

    /** Whether the message is finished: it has {@linkplain #hasEnded() ended}, was refused, or is a dead letter. */
    public boolean isFinished() {
        return hasEnded() || isRefused() || this == DEAD;
    }

    /** Whether Redis knows nothing of the message yet. */
    public boolean isUnsent() {
        return this == OUTBOX || this == BLOCKED;
    }

    /** Whether Redis has the message, unless it lost it. */
    public boolean isInRedis() {
        return this == SCHEDULED || this == IN_FLIGHT || this == DEAD;
    }

    /** Whether Redis never took the message, as another one had its id. */
    public boolean isRefused() {
        return this == REJECTED || this == KEPT;
    }

    /** Whether the message has ended, and must not be delivered again. */
    public boolean hasEnded() {
        return switch (this) {
            case ACKED, CANCELLED, EXPIRED, PURGED, REPLACED, UNRECORDED -> true;
            case OUTBOX, BLOCKED, SCHEDULED, IN_FLIGHT, DEAD, REJECTED, KEPT, OTHER -> false;
        };
    }
}
