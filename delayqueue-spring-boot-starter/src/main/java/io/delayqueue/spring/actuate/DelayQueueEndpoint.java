package io.delayqueue.spring.actuate;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.TopicStats;
import io.delayqueue.spring.listener.DelayQueueListenerContainer;
import io.delayqueue.spring.listener.DelayQueueListenerEndpointRegistry;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.Sanitizer;
import org.springframework.boot.actuate.endpoint.SanitizingFunction;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.Selector.Match;

/**
 * Actuator endpoint that shows topics, their numbers, listeners and dead letters, and single messages. Payloads, header values
 * and error texts are hidden unless {@code management.endpoint.delayqueue.show-values} says otherwise.
 *
 * <p>A topic or message is named by the path, {@code /{topic}} or {@code /{topic}/{id}}, or by the parameters {@code topic} and
 * {@code id}. Both names may contain slashes: of the topics that a path may begin with, the longest is taken. Parameters leave
 * no doubt, and take the names that a web server changes in a path, such as those with {@code ..} or {@code //}.
 */
@Endpoint(id = "delayqueue")
public final class DelayQueueEndpoint {

    /** Maximum number of dead letters shown of a topic, latest first. */
    static final int MAX_DEAD_LETTERS = 20;

    private final DelayQueueClient client;
    private final DelayQueueListenerEndpointRegistry listeners;
    private final DescriptorMapper showing;
    private final DescriptorMapper hiding;
    private final Show showValues;

    /**
     * An endpoint.
     *
     * @param client the client to ask
     * @param listeners the application's listeners
     * @param sanitizingFunctions replace single values that are shown
     * @param showValues whether to show values to a caller who is not known, as over JMX
     */
    public DelayQueueEndpoint(
            DelayQueueClient client,
            DelayQueueListenerEndpointRegistry listeners,
            Iterable<SanitizingFunction> sanitizingFunctions,
            Show showValues) {
        this.client = client;
        this.listeners = listeners;
        Sanitizer sanitizer = new Sanitizer(sanitizingFunctions);
        this.showing = new DescriptorMapper(sanitizer, true);
        this.hiding = new DescriptorMapper(sanitizer, false);
        this.showValues = showValues;
    }

    /**
     * All topics with their numbers; with parameters, one topic or message.
     *
     * @param topic a topic to show, or null for all
     * @param id a message of the topic to show, or null for the topic itself
     */
    @ReadOperation
    public @Nullable DelayQueueDescriptor named(@Nullable String topic, @Nullable String id) {
        return named(topic, id, showValues.isShown(true));
    }

    /** The topic or message that this path names; null (not found) if there is none. */
    @ReadOperation
    public @Nullable DelayQueueDescriptor at(@Selector(match = Match.ALL_REMAINING) String... path) {
        return at(path, showValues.isShown(true));
    }

    @Nullable
    DelayQueueDescriptor named(@Nullable String topic, @Nullable String id, boolean withValues) {
        if (topic == null && id != null) {
            throw new InvalidEndpointRequestException(
                    "parameter 'id' without 'topic'", "The parameter 'id' needs the parameter 'topic'");
        }
        if (topic == null) {
            return topics();
        }
        return id == null ? topic(topic, withValues) : message(topic, id, withValues);
    }

    @Nullable
    DelayQueueDescriptor at(String[] path, boolean withValues) {
        Set<String> topics = topicNames();
        for (int length = path.length; length > 0; length--) {
            String topic = joined(path, 0, length);
            if (topics.contains(topic)) {
                return length == path.length
                        ? topic(topic, withValues)
                        : message(topic, joined(path, length, path.length), withValues);
            }
        }
        return null;
    }

    private TopicsDescriptor topics() {
        Set<String> names = topicNames();
        Map<String, TopicStatsDescriptor> topics = new TreeMap<>();
        if (!names.isEmpty()) {
            client.stats(names).forEach((name, stats) -> topics.put(name, hiding.stats(stats)));
        }
        return new TopicsDescriptor(topics);
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

    private @Nullable TopicDescriptor topic(String topic, boolean withValues) {
        if (!topicNames().contains(topic)) {
            return null;
        }
        TopicStats stats = client.stats(topic);
        List<DeadLetterDescriptor> dead = stats.dead() == 0
                ? List.of()
                : client.deadLetters(topic).list(0, MAX_DEAD_LETTERS).stream()
                        .map(descriptors(withValues)::deadLetter)
                        .toList();
        List<ListenerDescriptor> here = containers()
                .filter(container -> container.topic().equals(topic))
                .map(hiding::listener)
                .toList();
        return new TopicDescriptor(hiding.stats(stats), here, dead);
    }

    private @Nullable MessageDescriptor message(String topic, String id, boolean withValues) {
        return client.find(topic, id).map(descriptors(withValues)::message).orElse(null);
    }

    private DescriptorMapper descriptors(boolean withValues) {
        return withValues ? showing : hiding;
    }

    private static String joined(String[] path, int from, int to) {
        return String.join("/", Arrays.asList(path).subList(from, to));
    }
}
