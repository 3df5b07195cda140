package io.delayqueue.spring.metrics;

import io.delayqueue.DelayQueueObserver;
import io.delayqueue.ReceivedMessage;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Counters and timers of what happens in this process. */
public final class MeterObserver implements DelayQueueObserver {

    private final MeterRegistry registry;
    private final Map<String, TopicMeters> topics = new ConcurrentHashMap<>();
    private final Map<String, Timer> scripts = new ConcurrentHashMap<>();

    /** An observer that registers its meters here. */
    public MeterObserver(MeterRegistry registry) {
        this.registry = registry;
    }

    @Override
    public void accepted(String topic, int count) {
        topic(topic).scheduled.increment(count);
    }

    @Override
    public void cancelled(String topic, String id) {
        topic(topic).cancelled.increment();
    }

    @Override
    public void delivered(ReceivedMessage message, Duration lag) {
        topic(message.topic()).lag.record(lag);
    }

    @Override
    public void retried(ReceivedMessage message, Duration delay, @Nullable Throwable error) {
        topic(message.topic()).retried.increment();
    }

    @Override
    public void deadLettered(String topic, String id, int attempts, String error) {
        topic(topic).dead.increment();
    }

    @Override
    public void expired(String topic, String id) {
        topic(topic).expired.increment();
    }

    @Override
    public void leaseLost(ReceivedMessage message) {
        topic(message.topic()).leaseLost.increment();
    }

    @Override
    public void orphaned(String topic, long count) {
        topic(topic).orphaned.increment(count);
    }

    @Override
    public void deferredToNewerVersion(String topic, long count) {
        topic(topic).left.increment(count);
    }

    @Override
    public void redisCall(String script, Duration duration, @Nullable Throwable error) {
        scripts.computeIfAbsent(script, this::scriptTimer).record(duration);
    }

    private Timer scriptTimer(String script) {
        return Timer.builder("delayqueue.redis.call")
                .description("Calls of Redis, from sending to the answer")
                .tag("script", script)
                .register(registry);
    }

    private TopicMeters topic(String topic) {
        TopicMeters meters = topics.get(topic);
        return meters != null ? meters : topics.computeIfAbsent(topic, name -> new TopicMeters(registry, name));
    }

    /** The meters of one topic. */
    private static final class TopicMeters {

        final Counter scheduled;
        final Counter cancelled;
        final Counter retried;
        final Counter dead;
        final Counter expired;
        final Counter leaseLost;
        final Counter orphaned;
        final Counter left;
        final Timer lag;

        TopicMeters(MeterRegistry registry, String topic) {
            scheduled = counter(registry, topic, "delayqueue.scheduled", "Messages scheduled by this process");
            cancelled = counter(registry, topic, "delayqueue.cancelled", "Messages cancelled by this process");
            retried =
                    counter(registry, topic, "delayqueue.retried", "Attempts that failed and were followed by another");
            dead = counter(registry, topic, "delayqueue.dead", "Messages given up");
            expired = counter(
                    registry, topic, "delayqueue.expired", "Messages dropped because their time to live was over");
            leaseLost = counter(registry, topic, "delayqueue.lease.lost", "Leases lost while handling a message");
            orphaned = counter(
                    registry, topic, "delayqueue.orphaned", "Messages found whose keys somebody deleted or evicted");
            left = counter(
                    registry,
                    topic,
                    "delayqueue.left",
                    "Times a due message of a later version of this library was left to it");
            lag = Timer.builder("delayqueue.delivery.lag")
                    .description("Time from the moment a message was due until its listener was called")
                    .tag("topic", topic)
                    .register(registry);
        }

        private static Counter counter(MeterRegistry registry, String topic, String name, String description) {
            return Counter.builder(name)
                    .description(description)
                    .tag("topic", topic)
                    .register(registry);
        }
    }
}
