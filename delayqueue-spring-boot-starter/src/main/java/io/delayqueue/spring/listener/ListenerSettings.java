package io.delayqueue.spring.listener;

import io.delayqueue.ConsumerOptions;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Configured settings of a listener. For one that is not configured, the application's default applies. */
public final class ListenerSettings {

    /** No setting configured. */
    public static final ListenerSettings NONE = builder().build();

    private final @Nullable Integer concurrency;
    private final @Nullable Duration lease;
    private final @Nullable Duration timeout;
    private final @Nullable Integer maxAttempts;
    private final BackoffSettings backoff;
    private final @Nullable Boolean autoStartup;

    private ListenerSettings(Builder builder) {
        this.concurrency = builder.concurrency;
        this.lease = builder.lease;
        this.timeout = builder.timeout;
        this.maxAttempts = builder.maxAttempts;
        this.backoff = builder.backoff;
        this.autoStartup = builder.autoStartup;
    }

    /** A builder with no setting configured. */
    public static Builder builder() {
        return new Builder();
    }

    /** These settings, with defaults for those that are not configured. */
    public ListenerSettings withDefaults(ListenerSettings defaults) {
        return builder()
                .concurrency(concurrency != null ? concurrency : defaults.concurrency)
                .lease(lease != null ? lease : defaults.lease)
                .timeout(timeout != null ? timeout : defaults.timeout)
                .maxAttempts(maxAttempts != null ? maxAttempts : defaults.maxAttempts)
                .backoff(backoff.withDefaults(defaults.backoff))
                .autoStartup(autoStartup != null ? autoStartup : defaults.autoStartup)
                .build();
    }

    /** Whether to start with the application; true if not configured. */
    public boolean startsWithApplication() {
        return autoStartup == null || autoStartup;
    }

    /**
     * Applies the configured settings to a builder.
     *
     * @throws IllegalArgumentException if the backoff is out of range
     */
    public ConsumerOptions.Builder applyTo(ConsumerOptions.Builder options) {
        if (concurrency != null) {
            options.concurrency(concurrency);
        }
        if (lease != null) {
            options.lease(lease);
        }
        if (maxAttempts != null) {
            options.maxAttempts(maxAttempts);
        }
        return options.timeout(timeout == null || timeout.isZero() ? null : timeout)
                .backoff(backoff.toBackoff());
    }

    /**
     * Configures settings of a listener. Null means not configured. A value out of range is an {@link IllegalArgumentException} that
     * names the setting; ranges are those of {@link ConsumerOptions}.
     */
    public static final class Builder {

        private final ConsumerOptions.Builder check = ConsumerOptions.builder();
        private @Nullable Integer concurrency;
        private @Nullable Duration lease;
        private @Nullable Duration timeout;
        private @Nullable Integer maxAttempts;
        private BackoffSettings backoff = BackoffSettings.NONE;
        private @Nullable Boolean autoStartup;

        private Builder() {}

        /** Number of messages handled at the same time. */
        public Builder concurrency(@Nullable Integer concurrency) {
            if (concurrency != null) {
                check.concurrency(concurrency);
            }
            this.concurrency = concurrency;
            return this;
        }

        /** Time after which another consumer gets the message of a crashed process. */
        public Builder lease(@Nullable Duration lease) {
            if (lease != null) {
                check.lease(lease);
            }
            this.lease = lease;
            return this;
        }

        /** Longest time the listener may take for a message; zero for no limit, whatever the default. */
        public Builder timeout(@Nullable Duration timeout) {
            if (timeout != null && !timeout.isZero()) {
                check.timeout(timeout);
            }
            this.timeout = timeout;
            return this;
        }

        /** Number of attempts before a message is dead-lettered. */
        public Builder maxAttempts(@Nullable Integer maxAttempts) {
            if (maxAttempts != null) {
                check.maxAttempts(maxAttempts);
            }
            this.maxAttempts = maxAttempts;
            return this;
        }

        /** Delays between attempts. They are checked when the listener is registered, after the defaults are added. */
        public Builder backoff(BackoffSettings backoff) {
            this.backoff = backoff;
            return this;
        }

        /** Whether to start with the application. */
        public Builder autoStartup(@Nullable Boolean autoStartup) {
            this.autoStartup = autoStartup;
            return this;
        }

        /** The settings configured so far. */
        public ListenerSettings build() {
            return new ListenerSettings(this);
        }
    }
}
