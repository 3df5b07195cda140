package io.delayqueue;

import java.time.Duration;

/**
 * A consumer of one topic in this process. Safe for use by several threads.
 *
 * <p>States: created → ({@link #start}) running → ({@link #stop}) stopped → ({@link #start}) running. Apart from that, it is
 * paused from {@link #pause} to {@link #resume}.
 */
public interface Subscription extends AutoCloseable {

    /**
     * Longest time that {@link #stop} takes beyond its grace: 3 s, for interrupted handlers to end, and for answers of a Redis that is
     * silent.
     */
    Duration AFTER_GRACE = Duration.ofSeconds(3);

    /** The topic consumed. */
    String topic();

    /** Starts to claim due messages. No effect while running. */
    void start();

    /** Claims no more messages in this process until {@link #resume}. Messages being handled are finished. */
    void pause();

    /** Ends {@link #pause}. */
    void resume();

    /**
     * Stops the consumer in four steps. It claims no more messages, and releases those that no handler has begun, without a counted
     * attempt. It waits for the running handlers, then interrupts the remaining ones and releases their messages. Takes at most the
     * grace and {@link #AFTER_GRACE}.
     *
     * <p>Handlers that exceeded their timeout before are not waited for.
     *
     * @param grace maximum time to wait for handlers, not negative
     * @return true if all handlers finished in time
     */
    boolean stop(Duration grace);

    /** {@link #stop} with the client's {@link DelayQueueOptions#shutdownTimeout()} as grace. */
    @Override
    void close();

    /** Whether it was started and not stopped since. */
    boolean isRunning();

    /** Whether it is paused in this process. */
    boolean isPaused();

    /**
     * Whether messages are claimed and can be acked, and no handler slot is lost to {@linkplain #abandonedHandlers() abandoned handlers}.
     * False if claims have been failing for more than two seconds, or the guard interval if that is shorter. Also false if it can't listen
     * to wake-ups, or claims no more since Redis does not settle handled messages. While paused, failed claims don't count. True while
     * stopped.
     */
    boolean isHealthy();

    /**
     * Number of messages leased to this consumer now: prefetched, being handled, or being acked or retried. It may be
     * several times the concurrency.
     */
    int inFlight();

    /**
     * Number of handlers that exceeded {@link ConsumerOptions#timeout()}, ignored the interrupt and still run. While it is greater
     * than the concurrency, handler slots are lost to them.
     */
    int abandonedHandlers();

    /** Its slots, its messages in this process, and when it last looked for more; {@link SubscriptionLoad#NONE} while stopped. */
    SubscriptionLoad load();
}
