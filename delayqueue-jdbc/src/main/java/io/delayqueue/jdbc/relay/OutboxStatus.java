package io.delayqueue.jdbc.relay;

import java.time.Duration;

/**
 * State of the outbox, by the database's clock.
 *
 * @param lag age of the oldest change that is not sent and not blocked, however often it was tried; zero if there is none. With more than
 *     200 waiting ids, that of one of the oldest
 * @param blocked number of ids that are not sent until they are unblocked; counted up to {@link #MOST_BLOCKED}
 */
public record OutboxStatus(Duration lag, int blocked) {

    /** More blocked ids are not counted. */
    public static final int MOST_BLOCKED = 1_000;
}
