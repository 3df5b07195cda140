package io.delayqueue.internal.store;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Asks for due messages.
 *
 * @param callId identifies the call
 * @param slots most messages for which a handler is free, 0 to {@link MessageStore#LARGEST_BATCH}
 * @param prefetch most further messages, claimed only while none of another priority is due soon: a prefetched message of low
 *     priority would be handled before one of high priority that falls due a moment later. With {@code slots} at most
 *     {@link MessageStore#LARGEST_BATCH}
 * @param lease time for which other consumers don't get them
 * @param maxAttempts most attempts of a message that names no number itself
 * @param retention dead letters older than this and unscheduled messages are counted, and it is recorded for clients that don't
 *     consume; null for none of it
 * @param early messages that may be claimed before they are due
 * @param suspect whether one of the messages for {@code slots} may be a suspect
 * @param maxBytes most bytes of bodies; one message is returned all the same, whatever its size
 * @param endsLeasesUntilMicros after this time of the store's clock, the claim ends no expired leases: it was held up on its way, and
 *     settlements may be behind it. In µs since the epoch; 0 for any time
 */
public record ClaimRequest(
        CallId callId,
        int slots,
        int prefetch,
        Duration lease,
        int maxAttempts,
        @Nullable Duration retention,
        Early early,
        boolean suspect,
        int maxBytes,
        long endsLeasesUntilMicros) {

    /**
     * Messages claimed before they are due, which the consumer keeps until then.
     *
     * @param time how long before their due time, up to a second
     * @param limit most such messages
     */
    public record Early(Duration time, int limit) {}
}
