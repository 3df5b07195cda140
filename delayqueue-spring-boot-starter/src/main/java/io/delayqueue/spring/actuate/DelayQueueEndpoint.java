package io.delayqueue.spring.actuate;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.TopicStats;
import io.delayqueue.spring.listener.DelayQueueListenerContainer;
import io.delayqueue.spring.listener.DelayQueueListenerEndpointRegistry;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;

/**
 * Shows topics, their numbers and listeners, and single messages. Payloads and the values of headers are left out unless
 * {@code delayqueue.endpoint.show-payload} is on.
 */
@Endpoint(id = "delayqueue")
public final class DelayQueueEndpoint {

    /** Dead letters shown of a topic, latest first. */
    static final int DEAD_LETTERS_SHOWN = 20;

    private final DelayQueueClient delayQueue;
    private final DelayQueueListenerEndpointRegistry listeners;
    private final boolean showPayload;

    /**
     * An endpoint.
     *
     * @param delayQueue what is asked
     * @param listeners the application's listeners
     * @param showPayload whether to show payloads and the values of headers
     */
    public DelayQueueEndpoint(
            DelayQueueClient delayQueue, DelayQueueListenerEndpointRegistry listeners, boolean showPayload) {
        this.delayQueue = delayQueue;
        this.listeners = listeners;
        this.showPayload = showPayload;
    }

    /** All topics with their numbers. */
    @ReadOperation
    public TopicsDescriptor topics() {
        TreeSet<String> names = new TreeSet<>(delayQueue.topics());
        listeners.containers().forEach(container -> names.add(container.topic()));
        return new TopicsDescriptor(names.isEmpty() ? Map.of() : new TreeMap<>(delayQueue.stats(names)));
    }

    /** One topic with its numbers, listeners here and latest dead letters; null (not found) if it was never used. */
    @ReadOperation
    public @Nullable TopicDescriptor topic(@Selector String topic) {
        List<ListenerDescriptor> here = listeners.containers().stream()
                .filter(container -> container.topic().equals(topic))
                .map(DelayQueueEndpoint::describe)
                .toList();
        if (here.isEmpty() && !delayQueue.topics().contains(topic)) {
            return null;
        }
        TopicStats stats = delayQueue.stats(topic);
        List<DeadLetterDescriptor> dead = stats.dead() == 0
                ? List.of()
                : delayQueue.deadLetters(topic).list(0, DEAD_LETTERS_SHOWN).stream()
                        .map(DeadLetterDescriptor::of)
                        .toList();
        return new TopicDescriptor(stats, here, dead);
    }

    /** One message; null (not found) if there is none. */
    @ReadOperation
    public @Nullable MessageDescriptor message(@Selector String topic, @Selector String id) {
        return delayQueue
                .find(topic, id)
                .map(message -> MessageDescriptor.of(message, showPayload))
                .orElse(null);
    }

    private static ListenerDescriptor describe(DelayQueueListenerContainer container) {
        return new ListenerDescriptor(
                container.id(),
                container.isRunning(),
                container.isPaused(),
                container.isHealthy(),
                container.inFlight(),
                container.options().concurrency());
    }
}
