package io.delayqueue.spring.metrics;

import io.delayqueue.TopicStats;
import io.delayqueue.spring.annotation.DelayQueueListener;
import io.delayqueue.spring.autoconfigure.DelayQueueMetricsAutoConfiguration;
import io.delayqueue.spring.autoconfigure.DelayQueueObservationAutoConfiguration;
import io.delayqueue.spring.testsupport.Contexts;
import io.delayqueue.test.EmbeddedRedis;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Instant;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Applications with meters, and what their tests share. */
final class Metered {

    private Metered() {}

    /** An application on this Redis whose meters are in a simple registry. */
    static ApplicationContextRunner runner(EmbeddedRedis redis) {
        return Contexts.runner(redis)
                .withConfiguration(AutoConfigurations.of(
                        MetricsAutoConfiguration.class,
                        CompositeMeterRegistryAutoConfiguration.class,
                        ObservationAutoConfiguration.class,
                        DelayQueueMetricsAutoConfiguration.class,
                        DelayQueueObservationAutoConfiguration.class))
                .withBean(SimpleMeterRegistry.class);
    }

    /** Statistics of topics without messages. */
    static Map<String, TopicStats> zeros(Collection<String> topics) {
        Map<String, TopicStats> stats = new LinkedHashMap<>();
        topics.forEach(topic -> stats.put(
                topic,
                new TopicStats(topic, TopicStats.Pending.NONE, 0, 0, TopicStats.Totals.ZERO, Instant.EPOCH, false)));
        return stats;
    }

    /** Fails for the payload "fails", twice. */
    static class Listener {
        @DelayQueueListener(topic = "work", maxAttempts = "2")
        void on(String work) {
            if (work.equals("fails")) {
                throw new IllegalStateException("failed on purpose");
            }
        }
    }
}
