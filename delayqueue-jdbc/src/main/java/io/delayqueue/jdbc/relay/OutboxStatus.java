package io.delayqueue.jdbc.relay;

import java.time.Duration;

/**
 * State of the outbox, by the database's clock.
 *
 * @param lag time for which the row that has waited longest could have been sent by a relay; zero if none waits
 * @param blocked number of ids that are not sent until they are unblocked; counted up to {@link #MOST_BLOCKED}
 */
public record OutboxStatus(Duration lag, int blocked) {

    /** More blocked ids are not counted. */
    public static final int MOST_BLOCKED = 1_000;
}
