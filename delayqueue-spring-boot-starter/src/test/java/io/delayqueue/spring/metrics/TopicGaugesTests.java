package io.delayqueue.spring.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.spring.DelayQueueOperations;
import io.delayqueue.spring.testsupport.Contexts;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Gauges of topics: messages by state, the age of the oldest, and pauses. */
@ExtendWith(EmbeddedRedisExtension.class)
class TopicGaugesTests {

    private static final Duration HOUR = Duration.ofHours(1);
    private ApplicationContextRunner runner = Contexts.runner();

    @BeforeEach
    void useRedis(EmbeddedRedis redis) {
        runner = Metered.runner(redis).withBean(Metered.Listener.class);
    }

    @Test
    void gaugesShowTheNumberOfMessagesByState() {
        runner.withPropertyValues("delayqueue.listener.auto-startup=false").run(context -> {
            DelayQueueOperations template = context.getBean(DelayQueueOperations.class);
            MeterRegistry registry = context.getBean(MeterRegistry.class);
            template.schedule("work", "due", Instant.now().minusSeconds(100));
            template.schedule("work", "waiting", HOUR);
            template.schedule("work", "waiting", HOUR);

            await().untilAsserted(() -> assertThat(messages(registry)).containsEntry("scheduled", 2.0));

            assertThat(messages(registry))
                    .containsEntry("ready", 1.0)
                    .containsEntry("in_flight", 0.0)
                    .containsEntry("dead", 0.0)
                    .hasSize(4);
            assertThat(registry.get("delayqueue.oldest.ready.age")
                            .tag("topic", "work")
                            .timeGauge()
                            .value(TimeUnit.SECONDS))
                    .isBetween(100.0, 160.0);
        });
    }

    @Test
    void pausedTopicsAreReported() {
        runner.run(context -> {
            MeterRegistry registry = context.getBean(MeterRegistry.class);
            assertThat(registry.get("delayqueue.paused")
                            .tag("topic", "work")
                            .gauge()
                            .value())
                    .isZero();

            context.getBean(DelayQueueClient.class).pause("work");

            await().until(() -> registry.get("delayqueue.paused")
                            .tag("topic", "work")
                            .gauge()
                            .value()
                    == 1);
        });
    }

    @Test
    void gaugesOfAListenersTopicExistBeforeItsFirstMessage() {
        runner.run(context -> assertThat(messages(context.getBean(MeterRegistry.class)))
                .containsEntry("scheduled", 0.0)
                .hasSize(4));
    }

    @Test
    void gaugesAreNaNWhileRedisDoesNotAnswer(EmbeddedRedis redis) {
        runner.withPropertyValues("delayqueue.command-timeout=2s").run(context -> {
            MeterRegistry registry = context.getBean(MeterRegistry.class);
            redis.pause();
            long before = System.nanoTime();

            Map<String, Double> gauges = messages(registry);

            assertThat(Duration.ofNanos(System.nanoTime() - before))
                    .as("time of four gauges; one call of Redis takes 2 s to fail")
                    .isLessThan(Duration.ofMillis(7900));
            assertThat(gauges)
                    .hasSize(4)
                    .allSatisfy((state, value) -> assertThat(value).isNaN());
            redis.resume();
            await().untilAsserted(() -> assertThat(messages(registry)).containsEntry("scheduled", 0.0));
        });
    }

    @Test
    void aScrapeOfManyTopicsCostsOneCall() {
        AtomicInteger calls = new AtomicInteger();
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        TopicGauges gauges = new TopicGauges(registry, new MeteredTopics(100), topics -> {
            calls.incrementAndGet();
            return Metered.zeros(topics);
        });
        IntStream.range(0, 20).forEach(n -> gauges.accepted("topic-" + n, 1));

        assertThat(registry.getMeters()).hasSize(120);
        registry.forEachMeter(meter -> meter.measure()
                .forEach(measurement -> assertThat(measurement.getValue()).isZero()));

        assertThat(calls).hasValue(1);
    }

    private static Map<String, Double> messages(MeterRegistry registry) {
        return registry.get("delayqueue.messages").tag("topic", "work").gauges().stream()
                .collect(Collectors.toMap(
                        gauge -> String.valueOf(gauge.getId().getTag("state")), gauge -> gauge.value()));
    }
}
