package io.delayqueue.jdbc.restore;

/** The loss that a partition's mark shows, compared with those that the journal kept. */
public enum Loss {
    /** Redis has lost nothing. No event has this value. */
    NONE(0),
    /** Redis came back without the partition. */
    EMPTY(1),
    /** Redis came back with another epoch: it was empty and is used again, or has an older dump. */
    OTHER_EPOCH(2),
    /** Redis came back without its last writes. */
    SET_BACK(3);

    private final long code;

    Loss(long code) {
        this.code = code;
    }

    /** The number that rows of the journal have: later versions keep it. */
    long code() {
        return code;
    }

    /** The loss with a code; of a code that only a newer version knows, {@link #OTHER_EPOCH}. */
    static Loss of(long code) {
        for (Loss loss : values()) {
            if (loss.code == code) {
                return loss;
            }
        }
        return OTHER_EPOCH;
    }
}
