package io.delayqueue;

import java.time.Duration;
import java.util.Objects;

/** Options of a {@link PullConsumer}. Immutable; {@link #builder()} refuses invalid values in each setter. */
public final class PullOptions {

    /** Default number of calls that may wait for messages at the same time. */
    public static final int DEFAULT_MAX_WAITING = 10_000;

    private final Duration lease;
    private final int maxAttempts;
    private final Backoff backoff;
    private final int maxWaiting;

    private PullOptions(Builder builder) {
        this.lease = builder.lease;
        this.maxAttempts = builder.maxAttempts;
        this.backoff = builder.backoff;
        this.maxWaiting = builder.maxWaiting;
    }

    /** Options with every default. */
    public static PullOptions defaults() {
        return builder().build();
    }

    /** A builder with every default. */
    public static Builder builder() {
        return new Builder();
    }

    /** Time after which another consumer gets a message that was neither settled nor extended. */
    public Duration lease() {
        return lease;
    }

    /** Number of attempts before a message is dead-lettered, unless the message sets its own. */
    public int maxAttempts() {
        return maxAttempts;
    }

    /** Delays between attempts, for retries without a delay of their own. */
    public Backoff backoff() {
        return backoff;
    }

    /** Number of calls that may wait for messages at the same time. */
    public int maxWaiting() {
        return maxWaiting;
    }

    /** Collects options. Not safe for use by several threads. */
    public static final class Builder {

        private Duration lease = ConsumerOptions.DEFAULT_LEASE;
        private int maxAttempts = ConsumerOptions.DEFAULT_MAX_ATTEMPTS;
        private Backoff backoff = ConsumerOptions.DEFAULT_BACKOFF;
        private int maxWaiting = DEFAULT_MAX_WAITING;

        private Builder() {}

        /**
         * Lease of a received message, 100 ms to a day; nobody renews it but {@link PullConsumer#extend}. Default 30 s. It begins
         * when the message is claimed, a moment before it is received.
         */
        public Builder lease(Duration lease) {
            this.lease = ConsumerOptions.builder().lease(lease).build().lease();
            return this;
        }

        /** Number of attempts before a message is dead-lettered, 1 to 1,000,000. Default 3. */
        public Builder maxAttempts(int maxAttempts) {
            this.maxAttempts =
                    ConsumerOptions.builder().maxAttempts(maxAttempts).build().maxAttempts();
            return this;
        }

        /** Delays between attempts, for retries without a delay of their own. Default {@link ConsumerOptions#DEFAULT_BACKOFF}. */
        public Builder backoff(Backoff backoff) {
            this.backoff = Objects.requireNonNull(backoff, "backoff");
            return this;
        }

        /** Number of calls that may wait for messages at the same time, at least 1. Default 10,000. */
        public Builder maxWaiting(int maxWaiting) {
            if (maxWaiting < 1) {
                throw new IllegalArgumentException("maxWaiting must be at least 1, not " + maxWaiting);
            }
            this.maxWaiting = maxWaiting;
            return this;
        }

        /** The finished options. */
        public PullOptions build() {
            return new PullOptions(this);
        }
    }
}
