package io.delayqueue;

import io.delayqueue.internal.DelayQueueClientFactory;
import io.lettuce.core.RedisClient;
import io.lettuce.core.cluster.RedisClusterClient;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * Keeps messages in Redis until they are due and hands each to one consumer then.
 *
 * <p>A message whose {@code schedule} call returned is delivered at least once, never before its due time by Redis' own
 * clock, and until a handler finishes, it is cancelled, expires, or is dead-lettered.
 *
 * <p>All methods are safe for use by many threads. Blocking methods wait at most
 * {@link DelayQueueOptions#commandTimeout()} for Redis and must not be called from a thread that completes one of the
 * returned futures. Every method throws {@link IllegalArgumentException} for input that can't be right, before anything
 * is sent; a failure of Redis is a {@link DelayQueueException} whose type names the cause. The {@code Async} forms throw
 * the former and complete exceptionally with the latter.
 *
 * <p>{@link #close()} stops every subscription with a grace of {@link DelayQueueOptions#shutdownTimeout()} and closes the
 * connections opened here, never the client given to {@code create}.
 */
public interface DelayQueueClient extends AutoCloseable {

    /**
     * A delay queue over a client of the caller's. Nothing is sent and no connection opened until the first use.
     *
     * @param client a client that knows its Redis URI; stays open when the delay queue is closed
     * @param options how to behave
     */
    static DelayQueueClient create(RedisClient client, DelayQueueOptions options) {
        return DelayQueueClientFactory.create(client, options);
    }

    /**
     * A delay queue over a client of a Redis Cluster. A topic spreads over its servers by its partitions: see
     * {@link TopicOptions#partitions()}. The client need not be set up to refresh its view of the Cluster; it is told to
     * when an answer suggests it.
     *
     * @param client a client that knows some of the servers; stays open when the delay queue is closed
     * @param options how to behave
     */
    static DelayQueueClient create(RedisClusterClient client, DelayQueueOptions options) {
        return DelayQueueClientFactory.create(client, options);
    }

    /** The options that this client was created with. */
    DelayQueueOptions options();

    /** Schedules one message; concurrent calls share round trips. Safe to repeat with the same {@link OutgoingMessage}. */
    ScheduleResult schedule(OutgoingMessage message);

    /** {@link #schedule} without waiting. */
    CompletableFuture<ScheduleResult> scheduleAsync(OutgoingMessage message);

    /**
     * Schedules many messages, of any topics, in as few round trips as possible. Results are in the order of the
     * messages. Not one atomic step: if it fails, some may be scheduled; repeat the call with the same messages, those
     * already there are recognised.
     */
    List<ScheduleResult> scheduleAll(List<OutgoingMessage> messages);

    /** {@link #scheduleAll} without waiting. */
    CompletableFuture<List<ScheduleResult>> scheduleAllAsync(List<OutgoingMessage> messages);

    /** Revokes a message unless it is being handled. Works on waiting, ready and dead messages. */
    CancelOutcome cancel(String topic, String id);

    /** {@link #cancel} without waiting. */
    CompletableFuture<CancelOutcome> cancelAsync(String topic, String id);

    /**
     * Gives a message a new due time unless it is being handled. A dead one comes back to life with its attempts
     * forgotten.
     */
    RescheduleOutcome reschedule(String topic, String id, Delay delay);

    /** {@link #reschedule} without waiting. */
    CompletableFuture<RescheduleOutcome> rescheduleAsync(String topic, String id, Delay delay);

    /** Looks a message up by its id; empty once it is acked, cancelled, expired or purged. */
    Optional<MessageInfo> find(String topic, String id);

    /** {@link #find} without waiting. */
    CompletableFuture<Optional<MessageInfo>> findAsync(String topic, String id);

    /** The numbers of a topic, all taken in one instant. A topic never used has zeros. */
    TopicStats stats(String topic);

    /** The numbers of several topics in one call to Redis, keyed by topic in the order given. */
    Map<String, TopicStats> stats(Collection<String> topics);

    /** Names of all topics ever scheduled to or subscribed to under this key prefix. */
    Set<String> topics();

    /**
     * Stops delivery of a topic for all instances, until {@link #resume}. Kept in Redis: it survives restarts. Messages
     * being handled are finished; scheduling goes on.
     */
    void pause(String topic);

    /** Ends {@link #pause}; what is due is delivered at once. */
    void resume(String topic);

    /** The dead letters of a topic. */
    DeadLetters deadLetters(String topic);

    /**
     * A consumer of the topic, not yet started: call {@link Subscription#start()}. Several subscriptions, here or in
     * other processes, share the topic's messages.
     */
    Subscription subscribe(String topic, ConsumerOptions options, MessageHandler handler);

    /**
     * Asks the server about itself and tries every command that the scripts need on a key of its own. On a Cluster, asks each
     * server that has keys, all at the same time; one that can't be asked within the command timeout is in the list as such.
     *
     * @return one report, or one for each of a Cluster's servers
     * @throws RedisUnavailableException if Redis, or no server of the Cluster, can be reached
     * @throws RedisAccessDeniedException if one of them does not let the user in
     */
    List<ServerReport> inspectServers();

    /** Stops all subscriptions gracefully, then closes the connections opened by this delay queue. Idempotent. */
    @Override
    void close();
}
