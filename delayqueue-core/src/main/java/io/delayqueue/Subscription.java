package io.delayqueue;

import java.time.Duration;

/**
 * A consumer of one topic in this process. Safe for use by several threads.
 *
 * <p>States: created → ({@link #start}) running → ({@link #stop}) stopped → ({@link #start}) running. Apart from that, it is
 * paused from {@link #pause} to {@link #resume}.
 */
public interface Subscription {

    /** The topic consumed. */
    String topic();

    /** Starts to claim due messages. No effect while running. */
    void start();

    /** Claims no more messages in this process until {@link #resume}. Messages being handled are finished. */
    void pause();

    /** Ends {@link #pause}. */
    void resume();

    /**
     * Stops the consumer in four steps: claims no more messages, releases those that no handler has begun (no attempt
     * counted), waits for the running handlers, then interrupts the remaining ones and releases their messages.
     *
     * @param grace maximum time to wait for handlers, not negative
     * @return true if all handlers finished in time
     */
    boolean stop(Duration grace);

    /** Whether it was started and not stopped since. */
    boolean isRunning();

    /** Whether it is paused in this process. */
    boolean isPaused();

    /** Whether the claim loop is alive and its last call of Redis succeeded. True while stopped or paused. */
    boolean isHealthy();

    /**
     * Number of messages leased to this consumer now: prefetched, being handled, or being acked or retried. It may be
     * several times the concurrency.
     */
    int inFlight();
}
