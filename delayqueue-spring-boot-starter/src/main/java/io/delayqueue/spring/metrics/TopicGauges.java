package io.delayqueue.spring.metrics;

import io.delayqueue.DelayQueueObserver;
import io.delayqueue.ReceivedMessage;
import io.delayqueue.TopicStats;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.TimeGauge;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

/**
 * Gauges of the topics that this process schedules to or listens to. Their value is NaN while Redis does not answer; a
 * scrape never fails, and waits for at most one command timeout.
 */
public final class TopicGauges implements DelayQueueObserver {

    private final MeterRegistry registry;
    private final MeteredTopics metered;
    private final Set<String> topics = ConcurrentHashMap.newKeySet();
    private final StatsCache stats;

    /**
     * Gauges of no topic yet.
     *
     * @param registry the registry of the gauges
     * @param metered the topics with gauges
     * @param query asks Redis for the numbers of topics
     */
    public TopicGauges(
            MeterRegistry registry,
            MeteredTopics metered,
            Function<Collection<String>, Map<String, TopicStats>> query) {
        this.registry = registry;
        this.metered = metered;
        this.stats = new StatsCache(topics, query);
    }

    /** Registers the gauges of a topic once, if it has meters of its own. */
    public void register(String topic) {
        if (!topics.contains(topic) && metered.add(topic) && topics.add(topic)) {
            messages(topic, "scheduled", stats -> stats.pending().scheduled());
            messages(topic, "ready", stats -> stats.pending().ready());
            messages(topic, "in_flight", TopicStats::inFlight);
            messages(topic, "dead", TopicStats::dead);
            Gauge.builder("delayqueue.paused", this, self -> self.value(topic, stats -> stats.paused() ? 1 : 0))
                    .description("1 if the topic is paused, else 0")
                    .tag("topic", topic)
                    .strongReference(true)
                    .register(registry);
            TimeGauge.builder(
                            "delayqueue.oldest.ready.age",
                            this,
                            TimeUnit.SECONDS,
                            self -> self.value(topic, TopicGauges::age))
                    .description("Time for which the oldest ready message has been due")
                    .tag("topic", topic)
                    .strongReference(true)
                    .register(registry);
        }
    }

    @Override
    public void accepted(String topic, int count) {
        register(topic);
    }

    @Override
    public void delivered(ReceivedMessage message, Duration lag) {
        register(message.topic());
    }

    private void messages(String topic, String state, ToDoubleFunction<TopicStats> value) {
        Gauge.builder("delayqueue.messages", this, self -> self.value(topic, value))
                .description("Messages in Redis by state")
                .tag("topic", topic)
                .tag("state", state)
                .strongReference(true)
                .register(registry);
    }

    private double value(String topic, ToDoubleFunction<TopicStats> value) {
        TopicStats current = stats.get(topic);
        return current == null ? Double.NaN : value.applyAsDouble(current);
    }

    private static double age(TopicStats stats) {
        return stats.pending().oldestReady() == null
                ? 0
                : Duration.between(stats.pending().oldestReady(), stats.time()).toNanos() / 1e9;
    }
}
