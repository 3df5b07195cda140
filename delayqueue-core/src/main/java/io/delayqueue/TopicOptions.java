package io.delayqueue;

import java.time.Duration;

/**
 * Limits of one topic.
 *
 * @param maxPending how many messages may be waiting or ready before {@code schedule} is refused with
 *     {@link TopicFullException}; 0 for no limit. With several partitions each takes its share, so a topic may be full a
 *     little earlier
 * @param deadLetterRetention how long dead letters are kept, positive
 * @param partitions how many partitions the topic has at least, 1 to {@link #MOST_PARTITIONS}. Redis keeps the largest
 *     number that any instance ever asked for, and all instances use that one
 */
public record TopicOptions(long maxPending, Duration deadLetterRetention, int partitions) {

    /** Most partitions of a topic. */
    public static final int MOST_PARTITIONS = 256;

    /** How long dead letters are kept unless told otherwise. */
    public static final Duration DEFAULT_DEAD_LETTER_RETENTION = Duration.ofDays(14);

    /** No limit to pending messages, dead letters kept for 14 days, one partition. */
    public static final TopicOptions DEFAULTS = new TopicOptions(0, DEFAULT_DEAD_LETTER_RETENTION, 1);

    /** One partition. */
    public TopicOptions(long maxPending, Duration deadLetterRetention) {
        this(maxPending, deadLetterRetention, 1);
    }

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
        if (partitions < 1 || partitions > MOST_PARTITIONS) {
            throw new IllegalArgumentException("partitions must be 1 to " + MOST_PARTITIONS + ", but is " + partitions);
        }
    }

    /** These limits with another number of partitions. */
    public TopicOptions withPartitions(int newPartitions) {
        return new TopicOptions(maxPending, deadLetterRetention, newPartitions);
    }
}
