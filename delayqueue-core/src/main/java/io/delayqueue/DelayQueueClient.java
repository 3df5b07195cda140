package io.delayqueue;

import io.delayqueue.internal.wiring.DelayQueueClientFactory;
import io.lettuce.core.RedisClient;
import io.lettuce.core.cluster.RedisClusterClient;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executor;

/**
 * Schedules messages in Redis and delivers each to one consumer once it is due.
 *
 * <p>A message whose {@code schedule} call returned is delivered at least once, until a handler finishes it, or it is
 * cancelled, expires or is dead-lettered. It is never delivered before its due time by Redis' clock.
 *
 * <p>All methods are safe for use by many threads. Blocking methods wait at most
 * {@link DelayQueueOptions#commandTimeout()} for each command of Redis, the time before it is sent included; a bulk call needs one
 * for every 512 messages and every 4 MiB. The time of {@link DelayQueueOptions#waitForReplicasTimeout()} comes in addition. Futures
 * complete on {@link DelayQueueOptions#completionExecutor()}, so continuations may block and call this client. An invalid argument is
 * an {@link IllegalArgumentException} before anything is sent. A failure of Redis is a {@link DelayQueueException} whose type names the
 * cause; each call gets an exception of its own. The {@code Async} forms throw the former and complete exceptionally with the latter.
 *
 * <p>Every returned future completes, at the latest with a {@link DelayQueueClosedException} when the client is closed. Cancelling
 * one, or completing it otherwise, withdraws the call if it was not sent to Redis yet. Afterwards it only abandons the answer: Redis may
 * carry the call out.
 *
 * <p>{@link #close()} stops every subscription at the same time, with a grace of {@link DelayQueueOptions#shutdownTimeout()}, and
 * closes the connections that this client opened. It never closes the Redis client given to {@code create}.
 */
public interface DelayQueueClient extends AsyncOperations, AutoCloseable {

    /**
     * A client over one Redis server or a group with Sentinel. Opens no connection before its first use.
     *
     * @param client a Redis client that knows its URI; {@link #close()} leaves it open
     * @param options options of the new client
     */
    static DelayQueueClient create(RedisClient client, DelayQueueOptions options) {
        return DelayQueueClientFactory.create(client, options);
    }

    /**
     * A client over a Redis Cluster, whose nodes share a topic by its partitions; see {@link TopicOptions#partitions()}. Opens
     * no connection before its first use. The Redis client needs no periodic refresh of its topology: it is refreshed when a
     * reply suggests it.
     *
     * @param client a Redis client that knows some of the nodes; {@link #close()} leaves it open
     * @param options options of the new client
     */
    static DelayQueueClient create(RedisClusterClient client, DelayQueueOptions options) {
        return DelayQueueClientFactory.create(client, options);
    }

    /** The options that this client was created with. */
    DelayQueueOptions options();

    /**
     * Executor for a library built on this client, to complete one future of its own as this client completes its futures: by
     * {@link DelayQueueOptions#completionExecutor()}, or by threads of this client. The library asks for it on the thread that makes the
     * call, before the call.
     *
     * @throws ClientOverloadedException if too many futures wait for continuations that block; the library must refuse the call then
     */
    Executor completionExecutor();

    /**
     * This client's calls with futures that complete on another executor: for a library that must not wait for the application's
     * continuations. A continuation of such a future may block for as long as the executor allows it.
     *
     * @param executor must not run tasks on the thread that calls it
     */
    AsyncOperations completingOn(Executor executor);

    /**
     * Schedules one message; concurrent calls share round trips. Safe to repeat with the same {@link OutgoingMessage} while the message
     * exists. Look at the outcome: a duplicate is rejected without an exception.
     */
    @CheckReturnValue
    ScheduleResult schedule(OutgoingMessage message);

    /**
     * Schedules many messages, of any topics, in as few round trips as possible. Calls of {@link #schedule} don't wait for the end of
     * a bulk, and bulks take turns; calls under way at the same time have no order. Not one atomic step: each message has a result
     * of its own.
     *
     * @return results in the order of the messages
     * @throws BulkScheduleException if at least one message failed; it has the results of all, and the messages to repeat the call with
     */
    @CheckReturnValue
    List<ScheduleResult> scheduleAll(List<OutgoingMessage> messages);

    /** Cancels a scheduled, ready or dead message; a message in flight can no longer be cancelled. */
    CancelOutcome cancel(String topic, String id);

    /**
     * Cancels many messages of a topic, up to 512 in one call of Redis. Not one atomic step: each id has an outcome of its own.
     *
     * @return the outcome of each id, in the given order
     * @throws BulkCancelException if at least one id failed; it has the outcomes of the others
     */
    Map<String, CancelOutcome> cancelAll(String topic, Collection<String> ids);

    /**
     * Gives a scheduled, ready or dead message a new due time; a message in flight can no longer be rescheduled. A dead letter
     * becomes pending again with its attempts reset.
     */
    RescheduleOutcome reschedule(String topic, String id, Delay delay);

    /** Finds a message by its id; empty once it is acked, cancelled, expired or purged. */
    Optional<MessageInfo> find(String topic, String id);

    /** Message counts of a topic, those of a partition at one instant. A topic never used has zeros. */
    TopicStats stats(String topic);

    /**
     * Message counts of several topics, keyed by topic in the given order. It makes one call of Redis for every 50 partitions, one after
     * the other, so that many topics don't block Redis.
     */
    Map<String, TopicStats> stats(Collection<String> topics);

    /**
     * Message counts of those topics whose servers answer within the command timeout; the others are left out. On a Cluster,
     * {@link #stats} fails as a whole while one of its servers is silent. Asks for each topic by itself, all at once: prefer
     * {@link #stats}, and use this one after it failed.
     */
    Map<String, TopicStats> reachableStats(Collection<String> topics);

    /** Names of all topics under this key prefix that were ever scheduled to or subscribed to. */
    Set<String> topics();

    /**
     * Pauses delivery of a topic in all processes until {@link #resume}. Redis keeps the pause across restarts. Messages being
     * handled are finished, and scheduling goes on.
     */
    void pause(String topic);

    /** Ends {@link #pause}; due messages are delivered at once. */
    void resume(String topic);

    /** The dead letters of a topic. */
    DeadLetters deadLetters(String topic);

    /** The pending messages of a topic. */
    PendingMessages pending(String topic);

    /**
     * The messages of a topic in flight, those whose leases end first, and which instances hold how many.
     *
     * @param limit largest number of messages to list, 1 to {@link InFlightMessages#MAX_LISTED}
     */
    InFlightMessages inFlight(String topic, int limit);

    /**
     * Sends changes that another store recorded before, each once: for a journal in a database. Most applications schedule by the
     * other methods.
     */
    Outbox outbox(OutboxOptions options);

    /**
     * Compares a topic with another store that recorded its messages, and repairs differences: for a journal in a database, after
     * Redis lost data.
     */
    Survey survey(String topic);

    /**
     * Deletes a topic without messages: its counters, its pause, and its name among {@link #topics()}. Stop its consumers and
     * schedulers before. If others go on, no message of theirs is lost: the next {@code schedule} creates the topic again, and running
     * consumers serve it.
     *
     * @throws DelayQueueException if an observer refuses it, as a journal does while its database is unavailable; nothing is deleted then
     */
    DeleteTopicOutcome deleteTopic(String topic);

    /**
     * Deletes a topic with all its messages, in bounded steps. Handlers of messages in flight lose their lease. The answer is
     * {@link DeleteTopicOutcome#NOT_EMPTY} if messages are scheduled as fast as they are deleted.
     */
    DeleteTopicOutcome forceDeleteTopic(String topic);

    /**
     * A consumer of the topic, not yet started: call {@link Subscription#start()}. Subscriptions to one topic, in this and other
     * processes, share its messages.
     *
     * @throws IllegalArgumentException if the lease is shorter than twice {@link DelayQueueOptions#claimAhead()}: a message whose
     *     lease ended before its due time would be delivered then, too early
     */
    Subscription subscribe(String topic, ConsumerOptions options, MessageHandler handler);

    /**
     * A consumer of the topic that is asked for messages, instead of a handler that is called. Pull consumers and subscriptions to
     * one topic, in this and other processes, share its messages.
     *
     * @throws IllegalArgumentException if the lease is shorter than twice {@link DelayQueueOptions#claimAhead()}
     */
    PullConsumer pullConsumer(String topic, PullOptions options);

    /**
     * Inspects the server, and tries every command that the scripts need on a key of its own. On a Cluster, inspects all nodes
     * that hold keys at the same time; a node that does not answer within the command timeout is reported as such.
     *
     * @return one report, or one for each node of a Cluster
     * @throws RedisUnavailableException if Redis, or every node of the Cluster, is unavailable
     * @throws RedisAccessDeniedException if a server refuses the credentials
     */
    List<ServerReport> inspectServers();

    /** Stops all subscriptions gracefully, then closes the connections that this client opened. Idempotent. */
    @Override
    void close();
}
