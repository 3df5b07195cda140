package io.delayqueue.spring.autoconfigure;

import io.delayqueue.Backoff;
import io.delayqueue.Delay;
import io.delayqueue.DelayQueueOptions;
import io.delayqueue.TopicOptions;
import io.delayqueue.spring.listener.BackoffSettings;
import io.delayqueue.spring.listener.ListenerSettings;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

/** Sets options from properties; a value out of range fails the start and names its property. */
final class OptionsFromProperties {

    private final DelayQueueProperties properties;

    OptionsFromProperties(DelayQueueProperties properties) {
        this.properties = properties;
    }

    void applyTo(DelayQueueOptions.Builder options) {
        options.wakeUp(properties.getWakeUp());
        check("key-prefix", properties.getKeyPrefix(), options::keyPrefix);
        check("guard-interval", properties.getGuardInterval(), options::guardInterval);
        check("claim-ahead", properties.getClaimAhead(), options::claimAhead);
        check("max-payload", maxPayload(), options::maxPayload);
        check("max-waiting-messages", properties.getMaxWaitingMessages(), options::maxWaitingMessages);
        check("max-waiting-bytes", properties.getMaxWaitingBytes().toBytes(), options::maxWaitingBytes);
        check("max-in-flight-bytes", properties.getMaxInFlightBytes().toBytes(), options::maxInFlightBytes);
        check("command-timeout", properties.getCommandTimeout(), options::commandTimeout);
        check("shutdown-timeout", properties.getShutdownTimeout(), options::shutdownTimeout);
        DelayQueueProperties.WaitForReplicas replicas = properties.getWaitForReplicas();
        check(
                "wait-for-replicas.timeout",
                replicas.getTimeout(),
                timeout -> DelayQueueOptions.builder().waitForReplicas(0, timeout));
        check(
                "wait-for-replicas.count",
                replicas.getCount(),
                count -> options.waitForReplicas(count, replicas.getTimeout()));
        properties
                .getTopics()
                .forEach((name, topic) ->
                        check("topics." + name, name, value -> options.topic(value, topicOptions(name, topic))));
    }

    /** In bytes; a size that an int can't hold is above the limit either way. */
    private int maxPayload() {
        return (int) Math.min(Integer.MAX_VALUE, properties.getMaxPayload().toBytes());
    }

    ListenerSettings listenerSettings() {
        DelayQueueProperties.Listener listener = properties.getListener();
        ListenerSettings.Builder settings = ListenerSettings.builder();
        check("listener.concurrency", listener.getConcurrency(), settings::concurrency);
        check("listener.lease", listener.getLease(), settings::lease);
        checkNullable("listener.timeout", listener.getTimeout(), settings::timeout);
        check("listener.max-attempts", listener.getMaxAttempts(), settings::maxAttempts);
        return settings.backoff(backoffSettings(listener.getBackoff()))
                .autoStartup(listener.isAutoStartup())
                .build();
    }

    Duration overdueThreshold() {
        Duration threshold = properties.getHealth().getOverdueThreshold();
        if (threshold.isNegative() || threshold.isZero()) {
            throw invalid("health.overdue-threshold", threshold, "must be positive", null);
        }
        return threshold;
    }

    int maxMeteredTopics() {
        int max = properties.getMetrics().getMaxTopics();
        if (max < 0) {
            throw invalid("metrics.max-topics", max, "must not be negative", null);
        }
        return max;
    }

    private static TopicOptions topicOptions(String name, DelayQueueProperties.Topic topic) {
        TopicOptions.Builder options = TopicOptions.builder();
        check("topics." + name + ".max-pending", topic.getMaxPending(), options::maxPending);
        check(
                "topics." + name + ".dead-letter-retention",
                topic.getDeadLetterRetention(),
                options::deadLetterRetention);
        check("topics." + name + ".partitions", topic.getPartitions(), options::partitions);
        return options.build();
    }

    /** Each is checked beside others that are in range, so that the error names the right one. */
    private static BackoffSettings backoffSettings(DelayQueueProperties.Backoff backoff) {
        Duration initial = backoff.getInitial();
        Duration max = backoff.getMax();
        check("listener.backoff.initial", initial, value -> Backoff.exponential(value, 1, Delay.LONGEST, 0));
        check("listener.backoff.max", max, value -> Backoff.exponential(initial, 1, value, 0));
        check(
                "listener.backoff.multiplier",
                backoff.getMultiplier(),
                value -> Backoff.exponential(initial, value, max, 0));
        check("listener.backoff.jitter", backoff.getJitter(), value -> Backoff.exponential(initial, 1, max, value));
        if (!backoff.getDelays().isEmpty()) {
            check("listener.backoff.delays", backoff.getDelays(), Backoff::delays);
        }
        return new BackoffSettings(initial, backoff.getMultiplier(), max, backoff.getJitter(), backoff.getDelays());
    }

    private static <T> void checkNullable(String property, @Nullable T value, Check<T> check) {
        if (value != null) {
            check(property, value, check);
        }
    }

    private static <T> void check(String property, T value, Check<T> check) {
        try {
            check.apply(value);
        } catch (IllegalArgumentException e) {
            throw invalid(property, value, String.valueOf(e.getMessage()), e);
        }
    }

    private static InvalidConfigurationPropertyValueException invalid(
            String property, @Nullable Object value, String reason, @Nullable Throwable cause) {
        return new InvalidConfigurationPropertyValueException("delayqueue." + property, value, reason, cause);
    }

    /** Accepts a value, or throws an {@link IllegalArgumentException} that names the problem. */
    private interface Check<T> {
        Object apply(T value);
    }
}
