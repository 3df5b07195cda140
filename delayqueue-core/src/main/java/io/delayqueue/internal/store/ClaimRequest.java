package io.delayqueue.internal.store;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What a consumer asks for.
 *
 * @param turn names the call
 * @param limit most messages that are due, 0 to {@link MessageStore#LARGEST_BATCH}; most messages at all but for {@link Ahead#beyond}
 * @param lease how long they are kept from others
 * @param maxAttempts for messages that name none
 * @param retention dead letters older than this are purged on the way, and strays looked for; null to do neither
 * @param ahead what may be taken before it is due
 */
public record ClaimRequest(
        Turn turn,
        int limit,
        Duration lease,
        int maxAttempts,
        @Nullable Duration retention,
        Ahead ahead) {

    /** Asks for what is due, and nothing more. */
    public ClaimRequest(Turn turn, int limit, Duration lease, int maxAttempts, @Nullable Duration retention) {
        this(turn, limit, lease, maxAttempts, retention, Ahead.NOTHING);
    }

    /**
     * What is taken before it is due, to be kept until then.
     *
     * @param time how long before, up to a second
     * @param limit most such messages
     * @param beyond how many of them may be more than the limit of the whole
     */
    public record Ahead(Duration time, int limit, int beyond) {

        /** Only what is due. */
        public static final Ahead NOTHING = new Ahead(Duration.ZERO, 0);

        /** Within the limit of the whole. */
        public Ahead(Duration time, int limit) {
            this(time, limit, 0);
        }
    }
}
