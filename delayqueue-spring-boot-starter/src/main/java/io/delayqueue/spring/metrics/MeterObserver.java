package io.delayqueue.spring.metrics;

import io.delayqueue.DelayQueueObserver;
import io.delayqueue.MessageState;
import io.delayqueue.ReceivedMessage;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Counts events about messages in this process, and times deliveries and calls of Redis. */
public final class MeterObserver implements DelayQueueObserver {

    private final MeterRegistry registry;
    private final MeteredTopics metered;
    private final Map<String, TopicMeters> topics = new ConcurrentHashMap<>();
    private final Map<String, ScriptMeters> scripts = new ConcurrentHashMap<>();

    /**
     * An observer.
     *
     * @param registry the registry of the meters
     * @param metered the topics with meters of their own
     */
    public MeterObserver(MeterRegistry registry, MeteredTopics metered) {
        this.registry = registry;
        this.metered = metered;
    }

    @Override
    public void accepted(String topic, int count) {
        topic(topic).accepted.increment(count);
    }

    @Override
    public void duplicateRejected(String topic, String id, MessageState existing) {
        topic(topic).duplicates.increment();
    }

    @Override
    public void cancelled(String topic, String id) {
        topic(topic).cancelled.increment();
    }

    @Override
    public void claimed(String topic, int count) {
        topic(topic).claims.record(count);
    }

    @Override
    public void delivered(ReceivedMessage message, Duration lag) {
        topic(message.topic()).lag.record(lag);
    }

    @Override
    public void acked(ReceivedMessage message) {
        topic(message.topic()).acked.increment();
    }

    @Override
    public void retried(ReceivedMessage message, Duration delay, @Nullable Throwable error) {
        topic(message.topic()).retried.increment();
    }

    @Override
    public void postponed(ReceivedMessage message, Duration delay) {
        topic(message.topic()).postponed.increment();
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
    public void leaseExpired(String topic, String id) {
        topic(topic).leaseExpired.increment();
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
        topic(topic).deferred.increment(count);
    }

    @Override
    public void redisCall(String script, Duration duration, @Nullable Throwable error) {
        ScriptMeters meters = scripts.computeIfAbsent(script, name -> new ScriptMeters(registry, name));
        meters.duration.record(duration);
        if (error != null) {
            meters.errors.increment();
        }
    }

    private TopicMeters topic(String topic) {
        TopicMeters meters = topics.get(topic);
        return meters != null
                ? meters
                : topics.computeIfAbsent(
                        metered.add(topic) ? topic : MeteredTopics.OTHER, name -> new TopicMeters(registry, name));
    }

    /** The meters of one script. Errors are counted from 0 on, so that the first one is an increase. */
    private static final class ScriptMeters {

        final Timer duration;
        final Counter errors;

        ScriptMeters(MeterRegistry registry, String script) {
            duration = Timer.builder("delayqueue.redis.call")
                    .description("Duration of a call of Redis, from request to reply")
                    .tag("script", script)
                    .register(registry);
            errors = Counter.builder("delayqueue.redis.errors")
                    .description("Calls of Redis that failed or were not answered in time")
                    .tag("script", script)
                    .register(registry);
        }
    }

    /** The meters of one topic. */
    private static final class TopicMeters {

        final Counter accepted;
        final Counter duplicates;
        final Counter cancelled;
        final Counter acked;
        final Counter retried;
        final Counter postponed;
        final Counter dead;
        final Counter expired;
        final Counter leaseExpired;
        final Counter leaseLost;
        final Counter orphaned;
        final Counter deferred;
        final DistributionSummary claims;
        final Timer lag;

        TopicMeters(MeterRegistry registry, String topic) {
            accepted = counter(registry, topic, "delayqueue.accepted", "Messages that this process scheduled");
            duplicates = counter(
                    registry,
                    topic,
                    "delayqueue.duplicates",
                    "Messages rejected because the topic has another one with their id");
            cancelled = counter(registry, topic, "delayqueue.cancelled", "Messages that this process cancelled");
            acked = counter(registry, topic, "delayqueue.acked", "Messages that this process handled and acked");
            retried = counter(registry, topic, "delayqueue.retried", "Failed attempts followed by another attempt");
            postponed = counter(
                    registry, topic, "delayqueue.postponed", "Messages that a handler postponed, no attempt counted");
            dead = counter(registry, topic, "delayqueue.dead", "Messages that this process dead-lettered");
            expired = counter(
                    registry, topic, "delayqueue.expired", "Messages dropped because their time to live was over");
            leaseExpired = counter(
                    registry,
                    topic,
                    "delayqueue.lease.expired",
                    "Leases found expired, since their process died or stalled");
            leaseLost =
                    counter(registry, topic, "delayqueue.lease.lost", "Leases lost while a message was being handled");
            orphaned = counter(
                    registry,
                    topic,
                    "delayqueue.orphaned",
                    "Messages found incomplete because keys were deleted or evicted");
            deferred = counter(
                    registry, topic, "delayqueue.deferred", "Due messages deferred to a newer version of this library");
            claims = DistributionSummary.builder("delayqueue.claim.size")
                    .description("Messages that a claim leased, 0 included")
                    .tag("topic", topic)
                    .register(registry);
            lag = Timer.builder("delayqueue.delivery.lag")
                    .description("Time between due time and call of the listener")
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
