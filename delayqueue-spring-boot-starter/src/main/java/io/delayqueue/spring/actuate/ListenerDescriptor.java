package io.delayqueue.spring.actuate;

/**
 * A listener of this process.
 *
 * @param id its name
 * @param running whether started and not stopped
 * @param paused whether paused in this process
 * @param healthy whether the loop that claims messages is alive
 * @param inFlight messages being handled
 * @param concurrency how many may be
 */
public record ListenerDescriptor(
        String id, boolean running, boolean paused, boolean healthy, int inFlight, int concurrency) {}
