package io.delayqueue.spring.listener;

import io.delayqueue.ConsumerOptions;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.spring.annotation.DelayQueueListener;
import io.delayqueue.spring.annotation.RetryBackoff;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.List;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;

/** Reads a {@link DelayQueueListener} into an endpoint; refuses invalid attributes. */
final class ListenerAnnotationReader {

    private final ConfigurableBeanFactory beanFactory;

    ListenerAnnotationReader(ConfigurableBeanFactory beanFactory) {
        this.beanFactory = beanFactory;
    }

    /**
     * Reads one annotation.
     *
     * @param bean the bean, possibly a proxy
     * @param method the method to call on the bean
     * @param defaultId id of the listener if the annotation sets none
     */
    DelayQueueListenerEndpoint read(DelayQueueListener annotation, Object bean, Method method, String defaultId) {
        AttributeReader reader = new AttributeReader(beanFactory, method);
        String topic = reader.text("topic", annotation.topic());
        if (topic.isBlank()) {
            throw reader.invalid("topic", "is blank; name the topic to consume", null);
        }
        try {
            OutgoingMessage.to(topic);
        } catch (IllegalArgumentException e) {
            throw reader.invalid("topic", String.valueOf(e.getMessage()), e);
        }
        String id = reader.text("id", annotation.id());
        return new DelayQueueListenerEndpoint(
                id.isBlank() ? defaultId : id,
                topic,
                bean,
                method,
                settings(annotation, reader),
                new RetryFilter(List.of(annotation.retryFor()), List.of(annotation.noRetryFor())),
                annotation.idempotent());
    }

    /** Name of the listener's container factory; empty for the application's. */
    String containerFactory(DelayQueueListener annotation, Method method) {
        return new AttributeReader(beanFactory, method).text("containerFactory", annotation.containerFactory());
    }

    private static ListenerSettings settings(DelayQueueListener annotation, AttributeReader reader) {
        ConsumerOptions.Builder check = ConsumerOptions.builder();
        return ListenerSettings.builder()
                .concurrency(reader.integer("concurrency", annotation.concurrency(), check::concurrency))
                .lease(reader.duration("lease", annotation.lease(), check::lease))
                .timeout(reader.durationOrNone("timeout", annotation.timeout(), check::timeout))
                .maxAttempts(reader.integer("maxAttempts", annotation.maxAttempts(), check::maxAttempts))
                .backoff(backoff(annotation.backoff(), reader))
                .autoStartup(reader.flag("autoStartup", annotation.autoStartup()))
                .build();
    }

    private static BackoffSettings backoff(RetryBackoff annotation, AttributeReader reader) {
        List<Duration> delays = reader.durations("backoff.delays", annotation.delays());
        BackoffSettings settings = new BackoffSettings(
                reader.duration("backoff.initial", annotation.initial(), value -> value),
                reader.decimal("backoff.multiplier", annotation.multiplier()),
                reader.duration("backoff.max", annotation.max(), value -> value),
                reader.decimal("backoff.jitter", annotation.jitter()),
                delays);
        if (!delays.isEmpty() && settings.isGrowing()) {
            throw reader.invalid(
                    "backoff", "has delays beside initial, multiplier, max or jitter; give one or the other", null);
        }
        return settings;
    }
}
