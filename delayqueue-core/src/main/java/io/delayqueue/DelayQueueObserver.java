package io.delayqueue;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Receives events about messages in this process, for metrics and events. Called on the threads that do the work,
 * Redis' I/O threads included: return quickly and don't call the {@link DelayQueueClient}. An exception is logged, at most once a
 * minute, and otherwise ignored, but for {@link #topicDeleting}.
 */
public interface DelayQueueObserver {

    /** An observer that does nothing. */
    DelayQueueObserver NONE = new DelayQueueObserver() {};

    /** Messages were accepted: scheduled anew, or in place of one with the same id. */
    default void accepted(String topic, int count) {}

    /**
     * A message was rejected because the topic has another one with its id.
     *
     * @param existing state of that one
     */
    default void duplicateRejected(String topic, String id, MessageState existing) {}

    /** A message was cancelled. */
    default void cancelled(String topic, String id) {}

    /**
     * A message was cancelled. Calls {@link #cancelled(String, String)} by default.
     *
     * @param ago time since the call began; Redis cancelled the message within this time
     */
    default void cancelled(String topic, String id, Duration ago) {
        cancelled(topic, id);
    }

    /**
     * A message that was scheduled, ready or dead has a new due time.
     *
     * @param delay from the call on, or the instant
     */
    default void rescheduled(String topic, String id, Delay delay) {}

    /**
     * A message that was scheduled, ready or dead has a new due time. Calls {@link #rescheduled(String, String, Delay)} by default.
     *
     * @param ago time since the call began; Redis rescheduled the message within this time
     */
    default void rescheduled(String topic, String id, Delay delay, Duration ago) {
        rescheduled(topic, id, delay);
    }

    /**
     * Redis answered a claim of a {@link Subscription} or a {@link PullConsumer}.
     *
     * @param count number of messages that the claim leased; 0 if none was due
     */
    default void claimed(String topic, int count) {}

    /**
     * A handler is about to be called.
     *
     * @param lag time since the message was due: by Redis' clock until it was claimed, by this process' monotonic clock since
     */
    default void delivered(ReceivedMessage message, Duration lag) {}

    /**
     * A call of a {@link PullConsumer} is about to be answered with a message, which any process may settle. Calls
     * {@link #delivered} by default.
     */
    default void pulled(ReceivedMessage message, Duration lag) {
        delivered(message, lag);
    }

    /**
     * A handler has returned or thrown.
     *
     * @param error the exception it threw, or null
     */
    default void handled(ReceivedMessage message, Duration duration, @Nullable Throwable error) {}

    /** A message was acked; if by a {@link Receipt}, without its payload and headers, as in the methods below. */
    default void acked(ReceivedMessage message) {}

    /**
     * A partition's counters after messages were acked, cancelled or purged: for a journal that keeps the counters, to notice when Redis
     * loses data. Called before {@link #acked}, {@link #cancelled} or {@link #purged} of the messages, and only for partitions that an
     * {@link Outbox} has sent to.
     */
    default void marked(PartitionMark mark) {}

    /** A failed message was scheduled for another attempt. */
    default void retried(ReceivedMessage message, Duration delay, @Nullable Throwable error) {}

    /**
     * A failed message that was pulled, in this process or in another one, was scheduled for another attempt. Calls {@link #retried} by
     * default.
     *
     * @param reason as given to {@link PullConsumer#retry}
     */
    default void retriedByReceipt(ReceivedMessage message, Duration delay, String reason) {
        retried(message, delay, null);
    }

    /** A handler postponed its message by {@link Delivery#postpone}. The attempt does not count. */
    default void postponed(ReceivedMessage message, Duration delay) {}

    /** A message was released as its subscription stopped: no handler had begun, or it was interrupted. The attempt does not count. */
    default void released(ReceivedMessage message) {}

    /**
     * A message was released by {@link PullConsumer#release}; it was pulled in this process or in another one. The attempt does not
     * count. Calls {@link #released} by default.
     */
    default void releasedByReceipt(ReceivedMessage message) {
        released(message);
    }

    /**
     * A message was dead-lettered, after a handler's failure or after crashes of its consumers.
     *
     * @param attempts attempts made
     */
    default void deadLettered(String topic, String id, int attempts, String error) {}

    /**
     * A message was dead-lettered. Calls {@link #deadLettered(String, String, int, String)} by default.
     *
     * @param generation {@linkplain OutgoingMessage#generation() generation} of the message; null if it is not known here, as after a
     *     crash of its consumers
     */
    default void deadLettered(String topic, String id, @Nullable String generation, int attempts, String error) {
        deadLettered(topic, id, attempts, error);
    }

    /**
     * A message whose generation is not known here was dead-lettered. Calls
     * {@link #deadLettered(String, String, String, int, String)} by default.
     *
     * @param ago time since the call began; Redis dead-lettered the message within this time
     */
    default void deadLettered(String topic, String id, int attempts, String error, Duration ago) {
        deadLettered(topic, id, null, attempts, error);
    }

    /**
     * Dead letters were scheduled again, with their attempts reset.
     *
     * @param ids ids, unmodifiable, in the order of their due times
     * @param first delay of the first one from the call on, or its due time
     * @param between time from one due time to the next
     */
    default void redriven(String topic, List<String> ids, Delay first, Duration between) {}

    /**
     * Dead letters were scheduled again. Calls {@link #redriven(String, List, Delay, Duration)} by default.
     *
     * @param ago time since the call began; Redis redrove the messages within this time
     */
    default void redriven(String topic, List<String> ids, Delay first, Duration between, Duration ago) {
        redriven(topic, ids, first, between);
    }

    /**
     * Pending messages or dead letters were purged: by a call, or because their retention was over. Not called for the messages of a
     * deleted topic.
     *
     * @param ids ids, unmodifiable
     */
    default void purged(String topic, List<String> ids) {}

    /**
     * Pending messages or dead letters were purged. Calls {@link #purged(String, List)} by default.
     *
     * @param ago time since the call began; Redis deleted the messages within this time
     */
    default void purged(String topic, List<String> ids, Duration ago) {
        purged(topic, ids);
    }

    /**
     * This process is about to delete a topic, with the messages that it has. Called on the deleting thread. Unlike the other methods, it
     * may block and refuse: an exception ends the call of {@link DelayQueueClient#deleteTopic}, and nothing is deleted.
     */
    default void topicDeleting(String topic) {}

    /** A topic was deleted, with the messages that it had. */
    default void topicDeleted(String topic) {}

    /**
     * A topic was deleted, with the messages that it had. Calls {@link #topicDeleted(String)} by default.
     *
     * @param ago time since the deletion began: messages that were scheduled later may still be there
     */
    default void topicDeleted(String topic, Duration ago) {
        topicDeleted(topic);
    }

    /** A message was dropped because its time to live was over. */
    default void expired(String topic, String id) {}

    /**
     * A message was dropped because its time to live was over. Calls {@link #expired(String, String)} by default.
     *
     * @param ago time since the call began; Redis dropped the message within this time
     */
    default void expired(String topic, String id, Duration ago) {
        expired(topic, id);
    }

    /**
     * A message's lease expired because its consumer crashed or stalled; the message will be delivered again. Reported by
     * the process that found the expired lease.
     */
    default void leaseExpired(String topic, String id) {}

    /**
     * A message's lease expired, and the message will be delivered again. Calls {@link #leaseExpired(String, String)} by default.
     *
     * @param ago time since the call began; Redis found the expired lease within this time
     */
    default void leaseExpired(String topic, String id, Duration ago) {
        leaseExpired(topic, id);
    }

    /**
     * This process lost the lease of a message that it is handling, or was given a receipt that is no longer good. Redis refuses the
     * outcome.
     */
    default void leaseLost(ReceivedMessage message) {}

    /** Incomplete messages were found and removed: another program had deleted some of their keys, or Redis had evicted them. */
    default void orphaned(String topic, long count) {}

    /** Due messages that a newer version of this library wrote were deferred by 5 s, for a newer instance to handle. */
    default void deferredToNewerVersion(String topic, long count) {}

    /**
     * A call of Redis has ended.
     *
     * @param script name of the script, such as {@code claim}
     * @param error the failure, or null
     */
    default void redisCall(String script, Duration duration, @Nullable Throwable error) {}
}
