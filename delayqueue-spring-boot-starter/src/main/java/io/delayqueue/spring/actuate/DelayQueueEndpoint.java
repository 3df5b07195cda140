package io.delayqueue.spring.actuate;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.TopicStats;
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
 * Actuator endpoint that shows topics, their numbers, listeners and dead letters, and single messages. It shows payloads,
 * header values and error texts only if {@code delayqueue.endpoint.show-payload} is on.
 */
@Endpoint(id = "delayqueue")
public final class DelayQueueEndpoint {

    /** Maximum number of dead letters shown of a topic, latest first. */
    static final int MAX_DEAD_LETTERS = 20;

    private final DelayQueueClient client;
    private final DelayQueueListenerEndpointRegistry listeners;
    private final DescriptorMapper descriptors;

    /**
     * An endpoint.
     *
     * @param client the client to ask
     * @param listeners the application's listeners
     * @param showPayload whether to show payloads, header values and error texts
     */
    public DelayQueueEndpoint(
            DelayQueueClient client, DelayQueueListenerEndpointRegistry listeners, boolean showPayload) {
        this.client = client;
        this.listeners = listeners;
        this.descriptors = new DescriptorMapper(showPayload);
    }

    /** All topics with their numbers. */
    @ReadOperation
    public TopicsDescriptor topics() {
        TreeSet<String> names = new TreeSet<>(client.topics());
        listeners.containers().forEach(container -> names.add(container.topic()));
        Map<String, TopicStatsDescriptor> topics = new TreeMap<>();
        if (!names.isEmpty()) {
            client.stats(names).forEach((name, stats) -> topics.put(name, descriptors.stats(stats)));
        }
        return new TopicsDescriptor(topics);
    }

    /** One topic with its numbers, its listeners here and its latest dead letters; null (not found) if it was never used. */
    @ReadOperation
    public @Nullable TopicDescriptor topic(@Selector String topic) {
        List<ListenerDescriptor> here = listeners.containers().stream()
                .filter(container -> container.topic().equals(topic))
                .map(descriptors::listener)
                .toList();
        if (here.isEmpty() && !client.topics().contains(topic)) {
            return null;
        }
        TopicStats stats = client.stats(topic);
        List<DeadLetterDescriptor> dead = stats.dead() == 0
                ? List.of()
                : client.deadLetters(topic).list(0, MAX_DEAD_LETTERS).stream()
                        .map(descriptors::deadLetter)
                        .toList();
        return new TopicDescriptor(descriptors.stats(stats), here, dead);
    }

    /** One message; null (not found) if there is none. */
    @ReadOperation
    public @Nullable MessageDescriptor message(@Selector String topic, @Selector String id) {
        return client.find(topic, id).map(descriptors::message).orElse(null);
    }
}
