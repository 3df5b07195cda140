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
 * Up while Redis answers and runs scripts, every listener's loop is alive, and no due message of a topic listened to here
 * has been waiting for longer than a threshold. A topic whose delivery is paused, or that no listener here is consuming at
 * the moment, may have overdue messages.
 */
public final class DelayQueueHealthIndicator extends AbstractHealthIndicator {

    /** Asked for if there are no listeners, so that a script is run all the same. */
    private static final List<String> ANY_TOPIC = List.of("delayqueue-health");

    private final DelayQueueClient client;
    private final DelayQueueListenerEndpointRegistry listeners;
    private final Duration overdueThreshold;

    /**
     * An indicator.
     *
     * @param client what is asked
     * @param listeners whose topics are looked at
     * @param overdueThreshold how long a due message may wait
     */
    public DelayQueueHealthIndicator(
            DelayQueueClient client, DelayQueueListenerEndpointRegistry listeners, Duration overdueThreshold) {
        super("the delay queue's health check failed");
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
        Map<String, TopicStats> stats = client.stats(topics.isEmpty() ? ANY_TOPIC : topics);
        builder.up();
        Map<String, Object> details = new LinkedHashMap<>();
        for (String topic : topics) {
            TopicStats numbers = stats.get(topic);
            if (numbers != null) {
                TopicHealth health = new TopicHealth(numbers, containersOf(topic), overdueThreshold);
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
