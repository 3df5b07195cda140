package io.delayqueue.jdbc.relay;

import io.delayqueue.DuplicatePolicy;
import java.util.List;

/** A step of a random sequence. */
sealed interface OrderStep {

    /** A kind of call. */
    enum Kind {
        SCHEDULE,
        CANCEL,
        RESCHEDULE
    }

    /** A call for one of few ids. */
    record Call(Kind kind, int id, int hours, DuplicatePolicy policy) {}

    /**
     * A transaction with calls.
     *
     * @param savepoint calls from this one on are rolled back to a savepoint; beyond the calls for none
     */
    record Transaction(List<Call> calls, boolean commit, int savepoint) implements OrderStep {}

    /** The fate of committed changes. */
    enum Fault implements OrderStep {
        /** The hand-over sends what was committed. */
        HAND_OVER,
        /** The process dies between commit and hand-over. */
        HAND_OVER_LOST,
        /** The hand-over's call reaches Redis, but the process dies before the answer comes. */
        HAND_OVER_WITHOUT_REPLY,
        /** All rows are free, and a relay sends them. */
        RELAY,
        /** The same, but the relay dies before the answer comes. */
        RELAY_WITHOUT_REPLY,
        /** All rows are free; a relay takes them and freezes before it sends them. */
        FREEZE,
        /** The frozen relay goes on. */
        THAW
    }
}
