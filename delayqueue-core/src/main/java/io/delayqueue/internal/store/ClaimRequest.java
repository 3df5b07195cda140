package io.delayqueue.internal.store;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What a consumer asks for.
 *
 * @param turn names the call
 * @param limit most messages, 0 to {@link MessageStore#LARGEST_BATCH}
 * @param beyond how many more if no other priorities than the default are in use; of those, a low one must not come before a high
 *     one that is due a moment later; both together are no more than {@link MessageStore#LARGEST_BATCH}
 * @param lease how long they are kept from others
 * @param maxAttempts for messages that name none
 * @param retention dead letters older than this are purged on the way, and strays looked for; null to do neither
 * @param ahead what may be taken before it is due
 */
public record ClaimRequest(
        CallId turn,
        int limit,
        int beyond,
        Duration lease,
        int maxAttempts,
        @Nullable Duration retention,
        Ahead ahead) {

    /** Asks for so many that are due, and nothing more. */
    public ClaimRequest(CallId turn, int limit, Duration lease, int maxAttempts, @Nullable Duration retention) {
        this(turn, limit, 0, lease, maxAttempts, retention, Ahead.NOTHING);
    }

    /**
     * What is taken before it is due, to be kept until then.
     *
     * @param time how long before, up to a second
     * @param limit most such messages
     */
    public record Ahead(Duration time, int limit) {

        /** Only what is due. */
        public static final Ahead NOTHING = new Ahead(Duration.ZERO, 0);
    }
}
