package io.delayqueue.jdbc.restore;

/** What a partition's mark says, compared with those that the journal kept. */
public enum Loss {
    /** Redis has what it had. No event has this one. */
    NONE,
    /** Redis came back without the partition. */
    EMPTY,
    /** Redis came back with another epoch: empty, and used since, or from an older dump. */
    OTHER_EPOCH,
    /** Redis came back without its last writes. */
    SET_BACK
}
