package io.delayqueue;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Is told what happens in this process, for metrics and events. Called on the threads that do the work, Redis' included:
 * return quickly and don't call the delay queue. What it throws is logged and otherwise ignored.
 */
public interface DelayQueueObserver {

    /** Does nothing. */
    DelayQueueObserver NONE = new DelayQueueObserver() {};

    /** Messages were scheduled or replaced. */
    default void scheduled(String topic, int count) {}

    /** A message was cancelled. */
    default void cancelled(String topic, String id) {}

    /**
     * A handler is about to be called.
     *
     * @param lag time since the message was due, by Redis' clock when it was claimed and this process' monotonic one since
     */
    default void delivered(ReceivedMessage message, Duration lag) {}

    /**
     * A handler is done.
     *
     * @param error what it threw, or null
     */
    default void handled(ReceivedMessage message, Duration duration, @Nullable Throwable error) {}

    /** A message was acked. */
    default void acked(ReceivedMessage message) {}

    /** A message will be delivered again. */
    default void retried(ReceivedMessage message, Duration delay, @Nullable Throwable error) {}

    /**
     * A message was dead-lettered, by a handler's failure or because its consumers crashed on it.
     *
     * @param attempts attempts made
     */
    default void deadLettered(String topic, String id, int attempts, String error) {}

    /** A message's time to live was over; it was dropped. */
    default void expired(String topic, String id) {}

    /** A message's consumer crashed or stalled until its lease ended; another will get it. Told by who found it. */
    default void leaseExpired(String topic, String id) {}

    /** This process lost the lease of a message it is handling; its outcome was or will be refused. */
    default void leaseLost(ReceivedMessage message) {}

    /** Messages were found whose keys somebody else deleted or evicted; they were cleaned up. */
    default void orphaned(String topic, long count) {}

    /** Due messages were met that a later version of this library wrote; they were put off by 5 s and left to it. */
    default void leftToLaterVersion(String topic, long count) {}

    /**
     * A script was called.
     *
     * @param script its name, such as {@code claim}
     * @param error what went wrong, or null
     */
    default void redisCall(String script, Duration duration, @Nullable Throwable error) {}
}
