package io.delayqueue;

import java.time.Duration;

/**
 * Limits of one topic.
 *
 * @param maxPending how many messages may be waiting or ready before {@code schedule} is refused with
 *     {@link TopicFullException}; 0 for no limit
 * @param deadLetterRetention how long dead letters are kept, positive
 */
public record TopicOptions(long maxPending, Duration deadLetterRetention) {

    /** How long dead letters are kept unless told otherwise. */
    public static final Duration DEFAULT_DEAD_LETTER_RETENTION = Duration.ofDays(14);

    /** No limit to pending messages, dead letters kept for 14 days. */
    public static final TopicOptions DEFAULTS = new TopicOptions(0, DEFAULT_DEAD_LETTER_RETENTION);

    public TopicOptions {
        if (maxPending < 0) {
            throw new IllegalArgumentException("maxPending must not be negative, but is " + maxPending);
        }
        if (deadLetterRetention.isZero()
                || deadLetterRetention.isNegative()
                || deadLetterRetention.compareTo(Delay.LONGEST) > 0) {
            throw new IllegalArgumentException("deadLetterRetention must be positive and at most " + Delay.LONGEST
                    + ", but is " + deadLetterRetention);
        }
    }
}
