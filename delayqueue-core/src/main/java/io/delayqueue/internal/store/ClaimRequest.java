package io.delayqueue.internal.store;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What a consumer asks for.
 *
 * @param turn names the call
 * @param limit most messages, 0 to {@link MessageStore#LARGEST_BATCH}
 * @param lease how long they are kept from others
 * @param maxAttempts for messages that name none
 * @param retention dead letters older than this are purged on the way, and strays looked for; null to do neither
 */
public record ClaimRequest(
        Turn turn,
        int limit,
        Duration lease,
        int maxAttempts,
        @Nullable Duration retention) {}
