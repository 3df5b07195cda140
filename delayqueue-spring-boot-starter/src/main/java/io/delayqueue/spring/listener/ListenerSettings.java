package io.delayqueue.spring.listener;

import io.delayqueue.ConsumerOptions;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Configured settings of a listener. A setting that is not configured is null.
 *
 * @param concurrency number of messages handled at the same time
 * @param lease time after which another consumer gets the message of a crashed process
 * @param timeout longest time the listener may take; zero for no limit, whatever the default
 * @param maxAttempts number of attempts before a message is dead-lettered
 * @param backoff delays between attempts
 * @param autoStartup whether to start with the application
 */
public record ListenerSettings(
        @Nullable Integer concurrency,
        @Nullable Duration lease,
        @Nullable Duration timeout,
        @Nullable Integer maxAttempts,
        BackoffSettings backoff,
        @Nullable Boolean autoStartup) {

    /** No setting configured: the core's defaults apply. */
    public static final ListenerSettings NONE =
            new ListenerSettings(null, null, null, null, BackoffSettings.NONE, null);

    /** These settings, with defaults for those that are not configured. */
    public ListenerSettings withDefaults(ListenerSettings defaults) {
        return new ListenerSettings(
                concurrency != null ? concurrency : defaults.concurrency,
                lease != null ? lease : defaults.lease,
                timeout != null ? timeout : defaults.timeout,
                maxAttempts != null ? maxAttempts : defaults.maxAttempts,
                backoff.withDefaults(defaults.backoff),
                autoStartup != null ? autoStartup : defaults.autoStartup);
    }

    /** Whether to start with the application; true if not configured. */
    public boolean startsWithApplication() {
        return autoStartup == null || autoStartup;
    }

    /**
     * Applies the configured settings to a builder.
     *
     * @throws IllegalArgumentException if a value is out of range
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
}
