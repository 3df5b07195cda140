package io.delayqueue.spring.health;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.TopicStats;
import io.delayqueue.spring.listener.DelayQueueListenerContainer;
import io.delayqueue.spring.listener.DelayQueueListenerEndpointRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;

/**
 * Health of the delay queue, whose listeners may use several Redis servers. It is down if Redis can't run a script or a listener
 * is {@linkplain io.delayqueue.Subscription#isHealthy() not healthy}, {@link #OVERDUE} if a message waits for too long, else up. A
 * topic that is paused, or that no listener of this process consumes now, may have overdue messages.
 */
public final class DelayQueueHealthIndicator extends AbstractHealthIndicator {

    /**
     * A message has been ready for too long. A backlog is no reason to send an instance no more requests, so this status does not
     * change the overall one, and is answered with HTTP 200, unless {@code management.endpoint.health.status.*} says otherwise.
     */
    public static final Status OVERDUE = new Status("OVERDUE");

    /** Queried if there are no listeners, so that Redis runs a script all the same. */
    private static final List<String> PROBE_TOPIC = List.of("delayqueue-health");

    private final List<DelayQueueClient> clients;
    private final DelayQueueListenerEndpointRegistry listeners;
    private final Duration overdueThreshold;

    /**
     * An indicator.
     *
     * @param clients the clients to ask, beside those of listeners that have others
     * @param listeners the application's listeners
     * @param overdueThreshold time after its due time at which a ready message is overdue
     */
    public DelayQueueHealthIndicator(
            Collection<DelayQueueClient> clients,
            DelayQueueListenerEndpointRegistry listeners,
            Duration overdueThreshold) {
        super("Health check of the delay queue failed");
        this.clients = List.copyOf(clients);
        this.listeners = listeners;
        this.overdueThreshold = overdueThreshold;
    }

    @Override
    protected void doHealthCheck(Health.Builder builder) {
        Map<DelayQueueClient, List<DelayQueueListenerContainer>> byClient = new LinkedHashMap<>();
        clients.forEach(client -> byClient.put(client, new ArrayList<>()));
        listeners
                .containers()
                .forEach(listener -> byClient.computeIfAbsent(listener.client(), other -> new ArrayList<>())
                        .add(listener));
        List<TopicHealth> topics = new ArrayList<>();
        byClient.forEach((client, itsListeners) -> topics.addAll(topicsOf(client, itsListeners)));
        builder.status(overall(topics));
        Map<String, Object> details = new LinkedHashMap<>();
        topics.forEach(topic -> details.put(
                details.containsKey(topic.name()) ? topic.nameWithListener() : topic.name(), topic.details()));
        builder.withDetail("topics", details);
    }

    private List<TopicHealth> topicsOf(DelayQueueClient asked, List<DelayQueueListenerContainer> itsListeners) {
        Map<String, List<DelayQueueListenerContainer>> byTopic = itsListeners.stream()
                .collect(Collectors.groupingBy(
                        DelayQueueListenerContainer::topic, LinkedHashMap::new, Collectors.toList()));
        Map<String, TopicStats> stats = asked.stats(byTopic.isEmpty() ? PROBE_TOPIC : byTopic.keySet());
        List<TopicHealth> topics = new ArrayList<>();
        byTopic.forEach((topic, its) -> {
            TopicStats current = stats.get(topic);
            if (current != null) {
                topics.add(new TopicHealth(current, its, overdueThreshold));
            }
        });
        return topics;
    }

    private static Status overall(List<TopicHealth> topics) {
        if (topics.stream().anyMatch(topic -> topic.status().equals(Status.DOWN))) {
            return Status.DOWN;
        }
        return topics.stream().anyMatch(topic -> topic.status().equals(OVERDUE)) ? OVERDUE : Status.UP;
    }
}
