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

    private final DelayQueueClient client;
    private final DelayQueueListenerEndpointRegistry listeners;
    private final boolean showPayload;

    /**
     * An endpoint.
     *
     * @param client what is asked
     * @param listeners the application's listeners
     * @param showPayload whether to show payloads and the values of headers
     */
    public DelayQueueEndpoint(
            DelayQueueClient client, DelayQueueListenerEndpointRegistry listeners, boolean showPayload) {
        this.client = client;
        this.listeners = listeners;
        this.showPayload = showPayload;
    }

    /** All topics with their numbers. */
    @ReadOperation
    public TopicsDescriptor topics() {
        TreeSet<String> names = new TreeSet<>(client.topics());
        listeners.containers().forEach(container -> names.add(container.topic()));
        return new TopicsDescriptor(names.isEmpty() ? Map.of() : new TreeMap<>(client.stats(names)));
    }

    /** One topic with its numbers, listeners here and latest dead letters; null (not found) if it was never used. */
    @ReadOperation
    public @Nullable TopicDescriptor topic(@Selector String topic) {
        List<ListenerDescriptor> here = listeners.containers().stream()
                .filter(container -> container.topic().equals(topic))
                .map(DelayQueueEndpoint::describe)
                .toList();
        if (here.isEmpty() && !client.topics().contains(topic)) {
            return null;
        }
        TopicStats stats = client.stats(topic);
        List<DeadLetterDescriptor> dead = stats.dead() == 0
                ? List.of()
                : client.deadLetters(topic).list(0, DEAD_LETTERS_SHOWN).stream()
                        .map(DeadLetterDescriptor::of)
                        .toList();
        return new TopicDescriptor(stats, here, dead);
    }

    /** One message; null (not found) if there is none. */
    @ReadOperation
    public @Nullable MessageDescriptor message(@Selector String topic, @Selector String id) {
        return client.find(topic, id)
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
