package io.delayqueue.spring.health;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.TopicStats;
import io.delayqueue.spring.listener.DelayQueueListenerContainer;
import io.delayqueue.spring.listener.DelayQueueListenerEndpointRegistry;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

/**
 * Health of the delay queue: up while Redis runs scripts, the claim loop of each listener is alive, and no topic of a
 * listener has an overdue message. A topic that is paused, or that no listener of this process consumes now, may have overdue
 * messages.
 */
public final class DelayQueueHealthIndicator extends AbstractHealthIndicator {

    /** Queried if there are no listeners, so that Redis runs a script all the same. */
    private static final List<String> PROBE_TOPIC = List.of("delayqueue-health");

    private final DelayQueueClient client;
    private final DelayQueueListenerEndpointRegistry listeners;
    private final Duration overdueThreshold;

    /**
     * An indicator.
     *
     * @param client the client to ask
     * @param listeners the application's listeners
     * @param overdueThreshold time after its due time at which a ready message is overdue
     */
    public DelayQueueHealthIndicator(
            DelayQueueClient client, DelayQueueListenerEndpointRegistry listeners, Duration overdueThreshold) {
        super("Health check of the delay queue failed");
        this.client = client;
        this.listeners = listeners;
        this.overdueThreshold = overdueThreshold;
    }

    @Override
    protected void doHealthCheck(Health.Builder builder) {
        List<String> topics = listeners.containers().stream()
                .map(DelayQueueListenerContainer::topic)
                .distinct()
                .toList();
        Map<String, TopicStats> stats = client.stats(topics.isEmpty() ? PROBE_TOPIC : topics);
        builder.up();
        Map<String, Object> details = new LinkedHashMap<>();
        for (String topic : topics) {
            TopicStats current = stats.get(topic);
            if (current != null) {
                TopicHealth health = new TopicHealth(current, containersOf(topic), overdueThreshold);
                details.put(topic, health.details());
                if (!health.isUp()) {
                    builder.down();
                }
            }
        }
        builder.withDetail("topics", details);
    }

    private List<DelayQueueListenerContainer> containersOf(String topic) {
        return listeners.containers().stream()
                .filter(container -> container.topic().equals(topic))
                .toList();
    }
}
