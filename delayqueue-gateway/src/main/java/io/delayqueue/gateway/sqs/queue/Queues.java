package io.delayqueue.gateway.sqs.queue;

import io.delayqueue.ClientOverloadedException;
import io.delayqueue.DelayQueueClient;
import io.delayqueue.RedisUnavailableException;
import io.delayqueue.gateway.sqs.protocol.SqsError;
import io.delayqueue.gateway.sqs.protocol.SqsException;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The queues that exist: those created, those configured, and topics with a name that a queue can have. */
public final class Queues {

    private static final Logger log = LoggerFactory.getLogger(Queues.class);
    private static final int MAX_WARNED = 100;

    private final DelayQueueClient client;
    private final QueueNames names;
    private final QueueStore store;
    private final ReentrantLock reading = new ReentrantLock();
    private final Set<String> hidden = ConcurrentHashMap.newKeySet();
    private final KnownTopics topics = new KnownTopics();

    public Queues(DelayQueueClient client, QueueNames names, QueueStore store) {
        this.client = client;
        this.names = names;
        this.store = store;
    }

    /** Names and topics. */
    public QueueNames names() {
        return names;
    }

    QueueStore store() {
        return store;
    }

    /**
     * A queue.
     *
     * @throws SqsException if there is none of this name
     */
    public Queue get(String name) {
        QueueSettings settings = QueueNames.isValid(name) ? store.get(name) : null;
        if (settings == null && !exists(name)) {
            throw new SqsException(SqsError.QUEUE_DOES_NOT_EXIST, "The specified queue does not exist.");
        }
        return new Queue(name, names.topic(name), names.isDead(name), settings == null ? QueueSettings.NONE : settings);
    }

    /** Whether {@link #getWhole}, and settings that actions on its messages need, wait for nothing now. */
    boolean isAtHand(String name) {
        if (!QueueNames.isValid(name)) {
            return true;
        }
        boolean exists = store.isFresh(name) && store.get(name) != null
                || names.topics().containsKey(names.isDead(name) ? names.source(name) : name)
                || topics.now().isFresh();
        return exists && related(name).stream().allMatch(store::isFresh);
    }

    /**
     * As {@link #get}; settings that actions on its messages need are read, too.
     *
     * @throws SqsException if there is none of this name
     */
    Queue getWhole(String name) {
        Queue queue = get(name);
        related(name).forEach(store::get);
        return queue;
    }

    /** The queue, that whose dead letters it has, and that by whose settings its topic's messages are received. */
    private List<String> related(String name) {
        return List.of(name, names.isDead(name) ? names.source(name) : name, names.queue(names.topic(name)));
    }

    /** Has what is known of a queue count for some more seconds. False if it is not enough. */
    boolean keepFormer(String name) {
        KnownTopics.State known = topics.now();
        boolean kept = true;
        for (String of : related(name)) {
            kept &= store.keepFormer(of);
        }
        if (known.names() != null) {
            topics.keep(known, known.names());
        }
        // else the names of topics were never needed, and must not be asked for now
        return kept && isAtHand(name);
    }

    /** Whether a queue that nobody may have created exists. */
    private boolean exists(String name) {
        if (!QueueNames.isValid(name)) {
            return false;
        }
        String source = names.isDead(name) ? names.source(name) : name;
        return names.topics().containsKey(source)
                || topics().contains(names.topic(source))
                || !source.equals(name) && store.get(source) != null;
    }

    /** Whether a topic is known to Redis, also since a moment ago. */
    boolean isTopicNow(String topic) {
        return client.topics().contains(topic);
    }

    /** Whether a queue was created by a client. */
    boolean isCreated(String name) {
        return store.get(name) != null;
    }

    /**
     * Refuses a new dead-letter queue that would hide a topic.
     *
     * @throws SqsException with the name and the property that gives the topic a queue
     */
    void requireNoTopicOfThisName(String name) {
        if (names.isDead(name) && isTopicNow(name) && !names.topics().containsValue(name)) {
            throw new SqsException(
                    SqsError.INVALID_PARAMETER_VALUE,
                    "There is a topic " + name + ", but a queue of this name would have the dead letters of "
                            + names.source(name)
                            + ". Give the topic a queue of another name by delayqueue.gateway.sqs.queues.<queue>.topic, or set"
                            + " delayqueue.gateway.sqs.dead-suffix.");
        }
    }

    /** Settings of a queue, which need not exist. */
    QueueSettings settings(String queue) {
        QueueSettings settings = store.get(queue);
        return settings == null ? QueueSettings.NONE : settings;
    }

    /** Settings of the queue of a topic. */
    public QueueSettings ofTopic(String topic) {
        return settings(names.queue(topic));
    }

    /** Settings of the queue of a topic's dead letters. */
    public QueueSettings ofDeadLetters(String topic) {
        return settings(names.dead(names.queue(topic)));
    }

    /** Names of all queues in their order, without dead-letter queues that nobody created. */
    Set<String> all() {
        Set<String> all = new TreeSet<>(store.names());
        all.addAll(names.topics().keySet());
        for (String topic : topics()) {
            if (names.hasQueue(topic) && !names.topics().containsValue(topic)) {
                all.add(topic);
            } else if (names.isDead(topic) && !names.topics().containsValue(topic)) {
                warnOnce(topic);
            }
        }
        return all;
    }

    private Set<String> topics() {
        KnownTopics.State known = topics.now();
        Set<String> names = known.names();
        if (names == null) {
            return read(known);
        }
        if (known.isFresh() || !reading.tryLock()) {
            // one request waits for Redis, not all
            return names;
        }
        try {
            return read(known);
        } finally {
            reading.unlock();
        }
    }

    private Set<String> read(KnownTopics.State known) {
        Set<String> names = topicsOrFormer(known.names());
        topics.keep(known, names);
        return names;
    }

    /** While Redis does not answer, a topic is as good as it was. */
    private Set<String> topicsOrFormer(@Nullable Set<String> former) {
        try {
            return client.topics();
        } catch (RedisUnavailableException | ClientOverloadedException e) {
            if (former == null) {
                throw e;
            }
            return former;
        }
    }

    private void warnOnce(String topic) {
        if (hidden.size() < MAX_WARNED && hidden.add(topic)) {
            log.warn(
                    "Topic '{}' has no queue for SQS clients, since {} is the name of the dead-letter queue of {}:"
                            + " give it a queue of another name by delayqueue.gateway.sqs.queues.<queue>.topic",
                    topic,
                    topic,
                    names.source(topic));
        }
    }

    /** The topics were changed by this instance. */
    void forgetTopics() {
        topics.forget();
    }
}
