package io.delayqueue;

import java.time.Duration;
import java.util.Objects;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Options of one consumer of a topic. Immutable; {@link #builder()} refuses invalid values in each setter. */
public final class ConsumerOptions {

    /** Default number of messages handled at the same time. */
    public static final int DEFAULT_CONCURRENCY = 10;

    /** Default lease: outlives a long pause of the garbage collector. */
    public static final Duration DEFAULT_LEASE = Duration.ofSeconds(30);

    /** Default number of attempts. */
    public static final int DEFAULT_MAX_ATTEMPTS = 3;

    /** Default backoff: 1 s, 2 s, 4 s … up to 10 min, varied by a tenth. */
    public static final Backoff DEFAULT_BACKOFF =
            Backoff.exponential(Duration.ofSeconds(1), 2, Duration.ofMinutes(10), 0.1);

    /** Minimum lease: a shorter one would keep Redis busy with renewals. */
    public static final Duration MIN_LEASE = Duration.ofMillis(100);

    private final int concurrency;
    private final Duration lease;
    private final @Nullable Duration timeout;
    private final int maxAttempts;
    private final Backoff backoff;
    private final Predicate<Throwable> retryable;

    private ConsumerOptions(Builder builder) {
        this.concurrency = builder.concurrency;
        this.lease = builder.lease;
        this.timeout = builder.timeout;
        this.maxAttempts = builder.maxAttempts;
        this.backoff = builder.backoff;
        this.retryable = builder.retryable;
    }

    /** Options with every default. */
    public static ConsumerOptions defaults() {
        return builder().build();
    }

    /** A builder with every default. */
    public static Builder builder() {
        return new Builder();
    }

    /** Number of messages that this consumer handles at the same time. */
    public int concurrency() {
        return concurrency;
    }

    /** Time after which another consumer gets the message of a crashed one; renewed while a handler runs. */
    public Duration lease() {
        return lease;
    }

    /** Maximum time a handler may take; null for no limit. */
    public @Nullable Duration timeout() {
        return timeout;
    }

    /** Number of attempts before a message is dead-lettered, unless the message sets its own. */
    public int maxAttempts() {
        return maxAttempts;
    }

    /** Delays between attempts. */
    public Backoff backoff() {
        return backoff;
    }

    /** Decides which failures get another attempt; a message that fails otherwise is dead-lettered at once. */
    public Predicate<Throwable> retryable() {
        return retryable;
    }

    /** Collects options. Not safe for use by several threads. */
    public static final class Builder {

        private int concurrency = DEFAULT_CONCURRENCY;
        private Duration lease = DEFAULT_LEASE;
        private @Nullable Duration timeout;
        private int maxAttempts = DEFAULT_MAX_ATTEMPTS;
        private Backoff backoff = DEFAULT_BACKOFF;
        private Predicate<Throwable> retryable = error -> true;

        private Builder() {}

        /**
         * Number of messages handled at the same time, 1 to 10,000. Default 10. While handlers take at most a few
         * milliseconds, the consumer prefetches up to four times as many. A due message that gets no handler slot within 10 ms
         * is released.
         */
        public Builder concurrency(int concurrency) {
            if (concurrency < 1 || concurrency > 10_000) {
                throw new IllegalArgumentException("concurrency must be 1 to 10,000, not " + concurrency);
            }
            this.concurrency = concurrency;
            return this;
        }

        /**
         * Lease, 100 ms to a day: after it another consumer gets the message of a crashed one. Default 30 s. A lease shorter
         * than four times the command timeout may expire before a silent connection is replaced.
         */
        public Builder lease(Duration lease) {
            if (lease.compareTo(MIN_LEASE) < 0 || lease.compareTo(Duration.ofDays(1)) > 0) {
                throw new IllegalArgumentException("lease must be " + MIN_LEASE + " to PT24H, not " + lease);
            }
            this.lease = lease;
            return this;
        }

        /**
         * Maximum time a handler may take, positive, or null for no limit (the default). A handler that takes longer is
         * interrupted and its attempt fails. If it ignores the interrupt, it is abandoned: its outcome is ignored, and its slot goes
         * to the next message while it still runs. There are at most as many abandoned handlers as the concurrency; any further one
         * keeps its slot until one of them ends, and the subscription is not healthy.
         */
        public Builder timeout(@Nullable Duration timeout) {
            if (timeout != null && (timeout.isZero() || timeout.isNegative() || timeout.compareTo(Delay.LONGEST) > 0)) {
                throw new IllegalArgumentException(
                        "timeout must be positive and at most " + Delay.LONGEST + ", not " + timeout);
            }
            this.timeout = timeout;
            return this;
        }

        /** Number of attempts before a message is dead-lettered, 1 to 1,000,000. Default 3. */
        public Builder maxAttempts(int maxAttempts) {
            if (maxAttempts < 1 || maxAttempts > 1_000_000) {
                throw new IllegalArgumentException("maxAttempts must be 1 to 1,000,000, not " + maxAttempts);
            }
            this.maxAttempts = maxAttempts;
            return this;
        }

        /** Delays between attempts. Default {@link #DEFAULT_BACKOFF}. */
        public Builder backoff(Backoff backoff) {
            this.backoff = Objects.requireNonNull(backoff, "backoff");
            return this;
        }

        /**
         * Decides which failures of the handler get another attempt. Default: all of them. Not asked about a timeout, which gets
         * another one anyway.
         */
        public Builder retryable(Predicate<Throwable> retryable) {
            this.retryable = Objects.requireNonNull(retryable, "retryable");
            return this;
        }

        /** The finished options. */
        public ConsumerOptions build() {
            return new ConsumerOptions(this);
        }
    }
}
