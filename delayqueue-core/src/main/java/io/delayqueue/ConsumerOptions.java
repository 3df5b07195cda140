package io.delayqueue;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.ThreadFactory;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** How a topic is consumed. Immutable; {@link #builder()} refuses bad values in each setter. */
public final class ConsumerOptions {

    /** Handlers at a time unless told otherwise. */
    public static final int DEFAULT_CONCURRENCY = 10;

    /** Lease unless told otherwise. */
    public static final Duration DEFAULT_LEASE = Duration.ofSeconds(30);

    /** Attempts unless told otherwise. */
    public static final int DEFAULT_MAX_ATTEMPTS = 3;

    /** Backoff unless told otherwise: 1 s, 2 s, 4 s … up to 10 min, varied by a tenth. */
    public static final Backoff DEFAULT_BACKOFF =
            Backoff.exponential(Duration.ofSeconds(1), 2, Duration.ofMinutes(10), 0.1);

    /** The shortest lease taken: less than this and renewing it would be most of the work. */
    public static final Duration MIN_LEASE = Duration.ofMillis(100);

    private final int concurrency;
    private final Duration lease;
    private final @Nullable Duration timeout;
    private final int maxAttempts;
    private final Backoff backoff;
    private final Predicate<Throwable> retryable;
    private final @Nullable ThreadFactory threadFactory;

    private ConsumerOptions(Builder builder) {
        this.concurrency = builder.concurrency;
        this.lease = builder.lease;
        this.timeout = builder.timeout;
        this.maxAttempts = builder.maxAttempts;
        this.backoff = builder.backoff;
        this.retryable = builder.retryable;
        this.threadFactory = builder.threadFactory;
    }

    /** Options with every default. */
    public static ConsumerOptions defaults() {
        return builder().build();
    }

    /** Starts with every default. */
    public static Builder builder() {
        return new Builder();
    }

    /** Messages handled at the same time by this consumer. */
    public int concurrency() {
        return concurrency;
    }

    /** How long a dead consumer's message stays out of reach; renewed while a handler runs. */
    public Duration lease() {
        return lease;
    }

    /** How long a handler may take; null: for ever. */
    public @Nullable Duration timeout() {
        return timeout;
    }

    /** Attempts before a message is dead-lettered, unless the message says otherwise. */
    public int maxAttempts() {
        return maxAttempts;
    }

    /** Delays between attempts. */
    public Backoff backoff() {
        return backoff;
    }

    /** Which failures are worth another attempt; others are dead-lettered at once. */
    public Predicate<Throwable> retryable() {
        return retryable;
    }

    /** Makes the handlers' threads; null: daemon threads named after the topic. */
    public @Nullable ThreadFactory threadFactory() {
        return threadFactory;
    }

    /** Collects options. Not safe for use by several threads. */
    public static final class Builder {

        private int concurrency = DEFAULT_CONCURRENCY;
        private Duration lease = DEFAULT_LEASE;
        private @Nullable Duration timeout;
        private int maxAttempts = DEFAULT_MAX_ATTEMPTS;
        private Backoff backoff = DEFAULT_BACKOFF;
        private Predicate<Throwable> retryable = error -> true;
        private @Nullable ThreadFactory threadFactory;

        private Builder() {}

        /**
         * Messages handled at the same time, 1 to 10,000. Default 10. While handlers take a few milliseconds or less, the
         * consumer claims the next ones already, up to four times as many; what it can't begin within 10 ms it gives back.
         */
        public Builder concurrency(int concurrency) {
            if (concurrency < 1 || concurrency > 10_000) {
                throw new IllegalArgumentException("concurrency must be 1 to 10,000, not " + concurrency);
            }
            this.concurrency = concurrency;
            return this;
        }

        /**
         * Lease, 100 ms to a day. Default 30 s. If it is less than four times the command timeout, it may be over before a
         * connection that fell silent is replaced.
         */
        public Builder lease(Duration lease) {
            if (lease.compareTo(MIN_LEASE) < 0 || lease.compareTo(Duration.ofDays(1)) > 0) {
                throw new IllegalArgumentException("lease must be " + MIN_LEASE + " to PT24H, not " + lease);
            }
            this.lease = lease;
            return this;
        }

        /**
         * How long a handler may take, positive, or null for ever (the default). One that takes longer is interrupted and
         * its attempt has failed; should it ignore the interrupt, its thread is given up and its outcome ignored.
         */
        public Builder timeout(@Nullable Duration timeout) {
            if (timeout != null && (timeout.isZero() || timeout.isNegative())) {
                throw new IllegalArgumentException("timeout must be positive, not " + timeout);
            }
            this.timeout = timeout;
            return this;
        }

        /** Attempts, 1 to 1,000,000. Default 3. */
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

        /** Which failures are worth another attempt. Default: all. */
        public Builder retryable(Predicate<Throwable> retryable) {
            this.retryable = Objects.requireNonNull(retryable, "retryable");
            return this;
        }

        /** Makes the handlers' threads, such as virtual ones. Default: daemon threads named after the topic. */
        public Builder threadFactory(@Nullable ThreadFactory threadFactory) {
            this.threadFactory = threadFactory;
            return this;
        }

        /** The finished options. */
        public ConsumerOptions build() {
            return new ConsumerOptions(this);
        }
    }
}
