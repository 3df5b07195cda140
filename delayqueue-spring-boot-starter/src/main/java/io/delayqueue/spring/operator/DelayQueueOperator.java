package io.delayqueue.spring.operator;

import io.delayqueue.DeadLetter;
import io.delayqueue.Delay;
import io.delayqueue.DelayQueueClient;
import io.delayqueue.InFlightMessages;
import io.delayqueue.MessageInfo;
import io.delayqueue.PendingMessage;
import io.delayqueue.PendingMessages;
import io.delayqueue.TopicStats;
import io.delayqueue.spring.MessageSender;
import io.delayqueue.spring.listener.DelayQueueListenerContainer;
import io.delayqueue.spring.listener.DelayQueueListenerEndpointRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Reads and operates topics for callers with different rights: the one place through which endpoints and pages act. Safe for use
 * by several threads.
 *
 * <p>Reads need {@link Right#VIEW}; each operation needs its {@link Operation#right()}. Without it a call throws a
 * {@link MissingRightException}. Each operation, done, denied or failed, is one log line and one call of each
 * {@link OperatorListener}. An argument that can't be one, such as an empty topic, is an {@link IllegalArgumentException}; a call
 * of Redis that fails is a {@link io.delayqueue.DelayQueueException}, and may have been executed.
 *
 * <p>Payloads, header values and error texts of what a read returns may be shown to callers with {@link Right#PAYLOAD} only.
 */
public final class DelayQueueOperator implements AutoCloseable {

    /** Maximum number of ids in one operation. */
    public static final int MAX_IDS = 1_000;

    private final DelayQueueClient client;
    private final MessageSender sender;
    private final @Nullable StorySource stories;
    private final DelayQueueListenerEndpointRegistry listeners;
    private final OperationLog log;
    private final BulkOperations bulk;

    /**
     * An operator.
     *
     * @param client the client to ask
     * @param sender cancels and reschedules messages as the application does: by way of the journal if it has one, since a call of
     *     Redis alone would not reach a message that is not sent yet
     * @param stories has the events of messages, such as a journal; null if there is none
     * @param listeners the application's listeners
     * @param operationListeners receive each operation
     */
    public DelayQueueOperator(
            DelayQueueClient client,
            MessageSender sender,
            @Nullable StorySource stories,
            DelayQueueListenerEndpointRegistry listeners,
            List<OperatorListener> operationListeners) {
        this.client = client;
        this.sender = sender;
        this.stories = stories;
        this.listeners = listeners;
        this.log = new OperationLog(operationListeners);
        this.bulk = new BulkOperations(client, log, Instant::now);
    }

    /**
     * Fails unless the caller has the right: for pages that cache a read, and show it to several callers.
     *
     * @throws MissingRightException if the caller lacks it
     */
    public void requireRight(Caller caller, Right right) {
        caller.require(right);
    }

    /** Names of all topics: those that Redis knows, and those of the application's listeners. */
    public Set<String> topicNames(Caller caller) {
        caller.require(Right.VIEW);
        return topicNames();
    }

    /** Message counts of all topics, by name. */
    public Map<String, TopicStats> topics(Caller caller) {
        Set<String> names = topicNames(caller);
        return names.isEmpty() ? Map.of() : new TreeMap<>(client.stats(names));
    }

    /** Message counts of those of these topics whose servers answer; the others are left out. Call it after {@link #topics} failed. */
    public Map<String, TopicStats> reachableTopics(Caller caller, Collection<String> names) {
        caller.require(Right.VIEW);
        return new TreeMap<>(client.reachableStats(names));
    }

    /** Message counts of a topic; empty if there is no such topic. */
    public Optional<TopicStats> topic(Caller caller, String topic) {
        return topicNames(caller).contains(topic) ? Optional.of(client.stats(topic)) : Optional.empty();
    }

    /** The listeners of a topic in this process. */
    public List<DelayQueueListenerContainer> listeners(Caller caller, String topic) {
        caller.require(Right.VIEW);
        return containers().filter(container -> container.topic().equals(topic)).toList();
    }

    /** A message; empty if there is none. */
    public Optional<MessageInfo> find(Caller caller, String topic, String id) {
        caller.require(Right.VIEW);
        return client.find(topic, id);
    }

    /** Whether {@link #story} has events to return: the application has a journal. */
    public boolean hasStories() {
        return stories != null;
    }

    /** The events of all messages that have had an id; empty without a journal, or if it knows nothing of the id. */
    public Optional<Story> story(Caller caller, String topic, String id) {
        caller.require(Right.VIEW);
        return stories == null ? Optional.empty() : stories.story(topic, id);
    }

    /**
     * Looks for a message in all topics. One call of Redis for each topic, many at once.
     *
     * @param timeout time that it may take; topics that did not answer by then are listed as missing
     */
    public MessageSearch search(Caller caller, String id, Duration timeout) {
        return MessageSearch.of(client, topicNames(caller), id, timeout);
    }

    /**
     * A page of pending messages by due time.
     *
     * @param after position after which the page begins
     * @param limit largest number of messages, 1 to {@link PendingMessages#MAX_PAGE_SIZE}
     */
    public List<PendingMessage> pending(Caller caller, String topic, PendingMessages.Position after, int limit) {
        caller.require(Right.VIEW);
        return client.pending(topic).list(after, limit);
    }

    /**
     * Messages in flight, those whose leases end first, and which instances hold how many.
     *
     * @param limit largest number of messages, 1 to {@link InFlightMessages#MAX_LISTED}
     */
    public InFlightMessages inFlight(Caller caller, String topic, int limit) {
        caller.require(Right.VIEW);
        return client.inFlight(topic, limit);
    }

    /**
     * A page of dead letters, latest first.
     *
     * @param offset number to skip, not negative; the cost grows with it
     * @param limit largest number, 1 to {@link io.delayqueue.DeadLetters#MAX_PAGE_SIZE}
     */
    public List<DeadLetter> deadLetters(Caller caller, String topic, int offset, int limit) {
        caller.require(Right.VIEW);
        return client.deadLetters(topic).list(offset, limit);
    }

    /**
     * Pending messages by due time, from now on.
     *
     * @param bucket length of a bucket, {@link UpcomingLoad#MIN_BUCKET} to {@link UpcomingLoad#MAX_BUCKET}
     * @param buckets number of buckets, 1 to {@link UpcomingLoad#MAX_BUCKETS}
     */
    public UpcomingLoad upcomingLoad(Caller caller, String topic, Duration bucket, int buckets) {
        caller.require(Right.VIEW);
        return UpcomingLoad.of(client, topic, bucket, buckets);
    }

    /** Pauses a topic in all processes. Messages being handled are finished. */
    public OperationResult pause(Caller caller, String topic) {
        return onTopic(caller, Operation.PAUSE, topic, () -> client.pause(topic));
    }

    /** Ends a pause. */
    public OperationResult resume(Caller caller, String topic) {
        return onTopic(caller, Operation.RESUME, topic, () -> client.resume(topic));
    }

    /** Cancels a scheduled, ready or dead message. */
    public OperationResult cancel(Caller caller, String topic, String id) {
        return log.run(caller, Operation.CANCEL, topic, List.of(id), () -> switch (sender.cancel(topic, id)) {
            case CANCELLED -> OperationResult.of(1);
            case IN_FLIGHT -> OperationResult.IN_FLIGHT;
            case NOT_FOUND -> OperationResult.NOT_FOUND;
            case AFTER_COMMIT -> OperationResult.RECORDED;
        });
    }

    /** Gives a scheduled, ready or dead message another due time. */
    public OperationResult reschedule(Caller caller, String topic, String id, Delay delay) {
        return reschedule(caller, Operation.RESCHEDULE, topic, id, delay);
    }

    /** Makes a scheduled or dead message due at once. */
    public OperationResult runNow(Caller caller, String topic, String id) {
        return reschedule(caller, Operation.RUN_NOW, topic, id, Delay.NONE);
    }

    /** Makes 1 to {@link #MAX_IDS} dead letters due at once, with all attempts again. */
    public OperationResult redrive(Caller caller, String topic, Collection<String> ids) {
        return onMessages(
                caller,
                Operation.REDRIVE,
                topic,
                ids,
                () -> client.deadLetters(topic).redrive(ids));
    }

    /** Deletes 1 to {@link #MAX_IDS} dead letters. */
    public OperationResult purgeDeadLetters(Caller caller, String topic, Collection<String> ids) {
        return onMessages(
                caller,
                Operation.PURGE_DEAD_LETTERS,
                topic,
                ids,
                () -> client.deadLetters(topic).purge(ids));
    }

    /** Deletes 1 to {@link #MAX_IDS} pending messages. */
    public OperationResult purgePending(Caller caller, String topic, Collection<String> ids) {
        return onMessages(
                caller,
                Operation.PURGE_PENDING,
                topic,
                ids,
                () -> client.pending(topic).purge(ids));
    }

    /** Operations on many messages, as jobs. */
    public BulkOperations bulk() {
        return bulk;
    }

    /** Stops bulk operations; the rest of their messages is not changed. */
    @Override
    public void close() {
        bulk.close();
    }

    private OperationResult reschedule(Caller caller, Operation operation, String topic, String id, Delay delay) {
        return log.run(caller, operation, topic, List.of(id), () -> switch (sender.reschedule(topic, id, delay)) {
            case RESCHEDULED -> OperationResult.of(1);
            case IN_FLIGHT -> OperationResult.IN_FLIGHT;
            case NOT_FOUND -> OperationResult.NOT_FOUND;
            case AFTER_COMMIT -> OperationResult.RECORDED;
        });
    }

    private OperationResult onMessages(
            Caller caller, Operation operation, String topic, Collection<String> ids, Supplier<Long> call) {
        return log.run(caller, operation, topic, ids, () -> {
            if (ids.isEmpty() || ids.size() > MAX_IDS) {
                throw new IllegalArgumentException(
                        operation.words() + " needs 1 to " + MAX_IDS + " ids, not " + ids.size());
            }
            return OperationResult.of(call.get());
        });
    }

    /** A topic that nobody knows is refused: a mistyped name must not leave keys in Redis. */
    private OperationResult onTopic(Caller caller, Operation operation, String topic, Runnable call) {
        return log.run(caller, operation, topic, List.of(), () -> {
            if (!topicNames().contains(topic)) {
                return OperationResult.NOT_FOUND;
            }
            call.run();
            return OperationResult.TOPIC_DONE;
        });
    }

    private Set<String> topicNames() {
        Set<String> names = new TreeSet<>(client.topics());
        containers().map(DelayQueueListenerContainer::topic).forEach(names::add);
        return names;
    }

    /** The listeners of this client; those of another one have their topics elsewhere. */
    private Stream<DelayQueueListenerContainer> containers() {
        return listeners.containers().stream().filter(container -> container.client() == client);
    }
}
