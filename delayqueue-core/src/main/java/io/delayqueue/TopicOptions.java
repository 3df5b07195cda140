package io.delayqueue;

import java.time.Duration;

/** Limits and partitions of one topic. Immutable; {@link #builder()} refuses invalid values in each setter. */
public final class TopicOptions {

    /** Maximum number of partitions: each costs a consumer one claim loop and one channel. */
    public static final int MAX_PARTITIONS = 256;

    /** Default retention of dead letters: time enough to come back from a holiday and redrive them. */
    public static final Duration DEFAULT_DEAD_LETTER_RETENTION = Duration.ofDays(14);

    private static final TopicOptions DEFAULTS = builder().build();

    private final long maxPending;
    private final Duration deadLetterRetention;
    private final int partitions;

    private TopicOptions(Builder builder) {
        this.maxPending = builder.maxPending;
        this.deadLetterRetention = builder.deadLetterRetention;
        this.partitions = builder.partitions;
    }

    /** Options with every default: no limit of pending messages, dead letters kept for 14 days, one partition. */
    public static TopicOptions defaults() {
        return DEFAULTS;
    }

    /** A builder with every default. */
    public static Builder builder() {
        return new Builder();
    }

    /** Maximum number of pending messages, scheduled and ready together; 0 for no limit. */
    public long maxPending() {
        return maxPending;
    }

    /** Time for which dead letters are kept; then they are purged within a minute, or within this time again if that is shorter. */
    public Duration deadLetterRetention() {
        return deadLetterRetention;
    }

    /** Minimum number of partitions; Redis keeps the largest that any instance asked for. */
    public int partitions() {
        return partitions;
    }

    @Override
    public String toString() {
        return "TopicOptions[maxPending=" + maxPending + ", deadLetterRetention=" + deadLetterRetention
                + ", partitions=" + partitions + "]";
    }

    /** Collects options. Not safe for use by several threads. */
    public static final class Builder {

        private long maxPending;
        private Duration deadLetterRetention = DEFAULT_DEAD_LETTER_RETENTION;
        private int partitions = 1;

        private Builder() {}

        /**
         * Maximum number of pending messages, scheduled and ready together; 0 for no limit (the default). At the limit
         * {@code schedule} of this client fails with a {@link TopicFullException}; other clients have limits of their own. Each
         * partition takes an equal share, so a topic with several partitions may be full a little earlier.
         */
        public Builder maxPending(long maxPending) {
            if (maxPending < 0) {
                throw new IllegalArgumentException("maxPending must not be negative, but is " + maxPending);
            }
            this.maxPending = maxPending;
            return this;
        }

        /**
         * Time for which dead letters are kept, positive. Default 14 days. The value of the consumers applies; they record it in Redis
         * for clients that only schedule.
         */
        public Builder deadLetterRetention(Duration deadLetterRetention) {
            if (deadLetterRetention.isZero()
                    || deadLetterRetention.isNegative()
                    || deadLetterRetention.compareTo(Delay.LONGEST) > 0) {
                throw new IllegalArgumentException("deadLetterRetention must be positive and at most " + Delay.LONGEST
                        + ", but is " + deadLetterRetention);
            }
            this.deadLetterRetention = deadLetterRetention;
            return this;
        }

        /**
         * Minimum number of partitions, 1 to {@link #MAX_PARTITIONS}. Default 1. Redis keeps the largest number that any
         * instance ever asked for, and all instances use that one.
         */
        public Builder partitions(int partitions) {
            if (partitions < 1 || partitions > MAX_PARTITIONS) {
                throw new IllegalArgumentException(
                        "partitions must be 1 to " + MAX_PARTITIONS + ", but is " + partitions);
            }
            this.partitions = partitions;
            return this;
        }

        /** The finished options. */
        public TopicOptions build() {
            return new TopicOptions(this);
        }
    }
}
