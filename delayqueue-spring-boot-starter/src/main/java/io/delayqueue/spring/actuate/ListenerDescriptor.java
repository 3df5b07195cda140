package io.delayqueue.spring.actuate;

/**
 * A listener of this process.
 *
 * @param id its id
 * @param running whether it was started and not stopped since
 * @param paused whether it is paused in this process
 * @param healthy whether its claim loop is alive, its calls of Redis succeed or have failed for at most two seconds, and it has
 *     handler slots
 * @param inFlight number of messages leased to it: prefetched, being handled, or being acked or retried
 * @param concurrency maximum number of messages handled at the same time
 */
public record ListenerDescriptor(
        String id, boolean running, boolean paused, boolean healthy, int inFlight, int concurrency) {}
