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
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gauges of the topics that this process schedules to or listens to. NaN while Redis does not answer; never throwing, and a
 * scrape waits at most one command time-out.
 */
public final class TopicGauges implements DelayQueueObserver {

    /** Topics that get gauges; each costs a few series, and names made up at run time may be many. */
    static final int MOST_TOPICS = 1_000;

    private static final Logger log = LoggerFactory.getLogger(TopicGauges.class);

    private final AtomicBoolean toldOfTooMany = new AtomicBoolean();
    private final MeterRegistry registry;
    private final Set<String> topics = ConcurrentHashMap.newKeySet();
    private final StatsCache stats;

    /**
     * Gauges without topics.
     *
     * @param registry where to register them
     * @param ask asks Redis for the numbers of topics
     */
    public TopicGauges(MeterRegistry registry, Function<Collection<String>, Map<String, TopicStats>> ask) {
        this.registry = registry;
        this.stats = new StatsCache(topics, ask);
    }

    /** Registers the gauges of a topic, once, as long as there are not more than {@value #MOST_TOPICS}. */
    public void watch(String topic) {
        if (topics.contains(topic)) {
            return;
        }
        if (topics.size() >= MOST_TOPICS) {
            if (!toldOfTooMany.getAndSet(true)) {
                log.warn("More than {} topics: '{}' and further ones get no gauges", MOST_TOPICS, topic);
            }
        } else if (topics.add(topic)) {
            messages(topic, "scheduled", stats -> stats.pending().scheduled());
            messages(topic, "ready", stats -> stats.pending().ready());
            messages(topic, "in_flight", TopicStats::inFlight);
            messages(topic, "dead", TopicStats::dead);
            TimeGauge.builder(
                            "delayqueue.oldest.ready.age",
                            this,
                            TimeUnit.SECONDS,
                            self -> self.value(topic, TopicGauges::age))
                    .description("How long the oldest due message has been waiting for a consumer")
                    .tag("topic", topic)
                    .strongReference(true)
                    .register(registry);
        }
    }

    @Override
    public void accepted(String topic, int count) {
        watch(topic);
    }

    @Override
    public void delivered(ReceivedMessage message, Duration lag) {
        watch(message.topic());
    }

    private void messages(String topic, String state, ToDoubleFunction<TopicStats> value) {
        Gauge.builder("delayqueue.messages", this, self -> self.value(topic, value))
                .description("Messages in Redis")
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
