package io.delayqueue;

import java.time.Duration;

/**
 * A consumer of one topic in this process.
 *
 * <p>States: created → ({@link #start}) running ⇄ ({@link #pause}, {@link #resume}) paused → ({@link #stop}) stopped →
 * ({@link #start}) running. Safe for use by several threads.
 */
public interface Subscription {

    /** The topic consumed. */
    String topic();

    /** Starts to claim due messages. No effect while running. */
    void start();

    /** Claims no more until {@link #resume}; this process only. Messages being handled are finished. */
    void pause();

    /** Ends {@link #pause}. */
    void resume();

    /**
     * Stops: claims no more, gives back what no handler has begun (no attempt counted), waits for the handlers, interrupts
     * those still running when the grace is over, and gives their messages back.
     *
     * @param grace how long to wait for handlers, not negative
     * @return true if all handlers finished in time
     */
    boolean stop(Duration grace);

    /** Whether started and not stopped. */
    boolean isRunning();

    /** Whether paused in this process. */
    boolean isPaused();

    /**
     * Whether the loop that claims messages is alive: it is running and its last pass over Redis went well. True while
     * stopped or paused.
     */
    boolean isHealthy();

    /**
     * Messages in the hands of this consumer now: being handled, settled, or kept until they are due or a handler is free.
     * May be several times its concurrency.
     */
    int inFlight();
}
