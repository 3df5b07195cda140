package io.delayqueue.spring.actuate;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A listener of this process.
 *
 * @param id its id
 * @param running whether it was started and not stopped since
 * @param paused whether it is paused in this process
 * @param healthy whether messages are claimed: its calls of Redis succeed or have failed for at most two seconds, and it has
 *     handler slots
 * @param inFlight number of messages leased to it: prefetched, being handled, or being acked or retried
 * @param concurrency maximum number of messages handled at the same time
 * @param settings its other settings, as properties and annotation gave them
 */
public record ListenerDescriptor(
        String id, boolean running, boolean paused, boolean healthy, int inFlight, int concurrency, Settings settings) {

    /**
     * Settings in effect.
     *
     * @param lease length of a lease, which is renewed while the handler runs
     * @param timeout longest time of a handler; null for no limit
     * @param maxAttempts number of attempts before a message is dead-lettered, unless the message says otherwise
     * @param backoff delays between attempts
     * @param shutdownTimeout time that a stop waits for handlers
     * @param autoStartup whether it starts with the application
     */
    public record Settings(
            Duration lease,
            @Nullable Duration timeout,
            int maxAttempts,
            String backoff,
            Duration shutdownTimeout,
            boolean autoStartup) {}
}
