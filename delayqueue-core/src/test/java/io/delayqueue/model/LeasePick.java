package io.delayqueue.model;

import java.util.List;

/**
 * Chooses a lease to settle.
 *
 * @param back the number of latest leases to pass over; early ones are stale
 * @param right the receipt to show for it
 */
record LeasePick(int back, Right right) {

    enum Right {
        OWN,
        /** Of another lease, often of another message. */
        FOREIGN,
        FORGED
    }

    long receipt(Session.Held held, List<Session.Held> all) {
        return switch (right) {
            case OWN -> held.receipt();
            case FOREIGN -> all.get((all.indexOf(held) + 1) % all.size()).receipt();
            // an extension may make a later one valid
            case FORGED -> held.receipt() - 1;
        };
    }
}
