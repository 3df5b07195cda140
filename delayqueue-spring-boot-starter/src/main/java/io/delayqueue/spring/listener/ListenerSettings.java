package io.delayqueue.spring.listener;

import io.delayqueue.ConsumerOptions;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How a listener consumes, as it was written down. Null where nothing was said.
 *
 * @param concurrency messages handled at the same time
 * @param lease how long a dead process' message stays out of reach
 * @param timeout how long the listener may take
 * @param maxAttempts attempts before a message is dead-lettered
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

    /** Says nothing: the core's defaults. */
    public static final ListenerSettings NONE =
            new ListenerSettings(null, null, null, null, BackoffSettings.NONE, null);

    /** These settings, completed by others where they say nothing. */
    public ListenerSettings over(ListenerSettings defaults) {
        return new ListenerSettings(
                concurrency != null ? concurrency : defaults.concurrency,
                lease != null ? lease : defaults.lease,
                timeout != null ? timeout : defaults.timeout,
                maxAttempts != null ? maxAttempts : defaults.maxAttempts,
                backoff.over(defaults.backoff),
                autoStartup != null ? autoStartup : defaults.autoStartup);
    }

    /** Whether to start with the application; yes where nothing was said. */
    public boolean startsWithApplication() {
        return autoStartup == null || autoStartup;
    }

    /**
     * Puts what was said into a builder.
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
        return options.timeout(timeout).backoff(backoff.toBackoff());
    }
}
