package io.delayqueue.spring.metrics;

import io.delayqueue.SubscriptionLoad;
import io.delayqueue.spring.listener.DelayQueueListenerContainer;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.TimeGauge;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.ToLongFunction;

/** Gauges of the listeners of this process: their handler slots, the messages that they hold, and how long ago their claim loops ran. */
public final class ListenerGauges {

    private final MeterRegistry registry;
    private final MeteredTopics metered;
    private final Map<String, Collection<DelayQueueListenerContainer>> listeners = new ConcurrentHashMap<>();

    /**
     * Gauges of no listener yet.
     *
     * @param registry the registry of the gauges
     * @param metered the topics with gauges
     */
    public ListenerGauges(MeterRegistry registry, MeteredTopics metered) {
        this.registry = registry;
        this.metered = metered;
    }

    /** Counts a listener in, and registers the gauges of its topic once, if the topic has meters of its own. */
    public void register(DelayQueueListenerContainer listener) {
        String topic = listener.topic();
        if (!metered.add(topic)) {
            return;
        }
        Collection<DelayQueueListenerContainer> ofTopic = listeners.computeIfAbsent(topic, this::withGauges);
        ofTopic.removeIf(DelayQueueListenerContainer::isUnregistered);
        if (!ofTopic.contains(listener)) {
            ofTopic.add(listener);
        }
    }

    private Collection<DelayQueueListenerContainer> withGauges(String topic) {
        Collection<DelayQueueListenerContainer> ofTopic = new CopyOnWriteArrayList<>();
        slots(topic, "free", ofTopic, SubscriptionLoad::freeSlots);
        slots(topic, "taken", ofTopic, load -> load.slots() - load.freeSlots());
        gauge(
                "delayqueue.prefetched",
                "Messages that this process has claimed, and whose handler has not begun",
                topic,
                ofTopic,
                SubscriptionLoad::prefetched);
        gauge(
                "delayqueue.unsettled",
                "Messages of this process that wait for Redis to answer their ack, retry or release",
                topic,
                ofTopic,
                SubscriptionLoad::unsettled);
        Gauge.builder("delayqueue.in.flight.size", ofTopic, its -> sum(its, SubscriptionLoad::bytes))
                .description("Bytes of the messages that this process has in flight")
                .baseUnit("bytes")
                .tag("topic", topic)
                .strongReference(true)
                .register(registry);
        TimeGauge.builder("delayqueue.loop.age", ofTopic, TimeUnit.SECONDS, ListenerGauges::secondsSincePass)
                .description("Time since the topic's claim loop last ran")
                .tag("topic", topic)
                .strongReference(true)
                .register(registry);
        return ofTopic;
    }

    private void slots(
            String topic,
            String state,
            Collection<DelayQueueListenerContainer> ofTopic,
            ToLongFunction<SubscriptionLoad> value) {
        Gauge.builder("delayqueue.handler.slots", ofTopic, its -> sum(its, value))
                .description("Handler slots of this process by state")
                .tag("topic", topic)
                .tag("state", state)
                .strongReference(true)
                .register(registry);
    }

    private void gauge(
            String name,
            String description,
            String topic,
            Collection<DelayQueueListenerContainer> ofTopic,
            ToLongFunction<SubscriptionLoad> value) {
        Gauge.builder(name, ofTopic, its -> sum(its, value))
                .description(description)
                .tag("topic", topic)
                .strongReference(true)
                .register(registry);
    }

    private static double sum(
            Collection<DelayQueueListenerContainer> listeners, ToLongFunction<SubscriptionLoad> value) {
        return loads(listeners).stream().mapToLong(value).sum();
    }

    private static double secondsSincePass(Collection<DelayQueueListenerContainer> listeners) {
        return loads(listeners).stream()
                .mapToDouble(load -> load.sincePass().toNanos() / 1e9)
                .max()
                .orElse(0);
    }

    private static List<SubscriptionLoad> loads(Collection<DelayQueueListenerContainer> listeners) {
        return listeners.stream().map(DelayQueueListenerContainer::load).toList();
    }
}
