package io.delayqueue.gateway.sqs.queue;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.gateway.sqs.protocol.SqsError;
import io.delayqueue.gateway.sqs.protocol.SqsException;
import java.time.Duration;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The queues that exist: those created, those configured, and topics with a name that a queue can have. */
public final class Queues {

    private static final long FRESH_NANOS = Duration.ofSeconds(1).toNanos();

    private final DelayQueueClient client;
    private final QueueNames names;
    private final QueueStore store;
    private volatile @Nullable Topics topics;

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
            if (QueueNames.isValid(topic) && !names.topics().containsValue(topic)) {
                all.add(topic);
            }
        }
        return all;
    }

    private Set<String> topics() {
        Topics known = topics;
        if (known == null || System.nanoTime() - known.read > FRESH_NANOS) {
            known = new Topics(client.topics(), System.nanoTime());
            topics = known;
        }
        return known.names;
    }

    /** The topics were changed by this instance. */
    void forgetTopics() {
        topics = null;
    }

    private record Topics(Set<String> names, long read) {}
}
