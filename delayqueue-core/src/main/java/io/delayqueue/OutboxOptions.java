package io.delayqueue;

import java.time.Duration;

/**
 * Times of an {@link Outbox}.
 *
 * @param sendTimeout how long changes may be sent after the time of Redis that was asked for before they were read; 1 s to 1 h
 * @param remembered how long Redis remembers a change that it applied, at least three times the send timeout. Each takes about 120 bytes of
 *     Redis' memory
 */
public record OutboxOptions(Duration sendTimeout, Duration remembered) {

    private static final Duration SHORTEST_SEND_TIMEOUT = Duration.ofSeconds(1);
    private static final Duration LONGEST_SEND_TIMEOUT = Duration.ofHours(1);
    private static final Duration LONGEST_MEMORY = Duration.ofDays(7);

    // after the limits, which the constructor needs
    /** A send timeout of 10 s; changes are remembered for 5 minutes. */
    public static final OutboxOptions DEFAULTS = new OutboxOptions(Duration.ofSeconds(10), Duration.ofMinutes(5));

    /** @throws IllegalArgumentException if a time is out of its range */
    public OutboxOptions {
        if (sendTimeout.compareTo(SHORTEST_SEND_TIMEOUT) < 0 || sendTimeout.compareTo(LONGEST_SEND_TIMEOUT) > 0) {
            throw new IllegalArgumentException("sendTimeout must be 1 second to 1 hour, not " + sendTimeout);
        }
        if (remembered.compareTo(sendTimeout.multipliedBy(3)) < 0 || remembered.compareTo(LONGEST_MEMORY) > 0) {
            throw new IllegalArgumentException("remembered must be at least three times the send timeout ("
                    + sendTimeout + ") and at most 7 days, not " + remembered);
        }
    }
}
