package io.delayqueue.spring.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.delayqueue.spring.DelayQueueOperations;
import io.delayqueue.spring.testsupport.Contexts;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.slf4j.LoggerFactory;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** Topics that are generated at run time do not flood the meter registry. */
@ExtendWith(EmbeddedRedisExtension.class)
class MeteredTopicsTests {

    private static final Duration HOUR = Duration.ofHours(1);
    private ApplicationContextRunner runner = Contexts.runner();

    @BeforeEach
    void useRedis(EmbeddedRedis redis) {
        runner = Metered.runner(redis).withBean(Metered.Listener.class);
    }

    @Test
    @ExtendWith(OutputCaptureExtension.class)
    void numberOfTopicsWithMetersIsLimited(CapturedOutput output) {
        Logger logger = (Logger) LoggerFactory.getLogger(MeteredTopics.class);
        logger.setLevel(Level.WARN);
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        MeteredTopics metered = new MeteredTopics(20);
        MeterObserver observer = new MeterObserver(registry, metered);
        TopicGauges gauges = new TopicGauges(registry, metered, Metered::zeros);

        for (int n = 0; n < 5_000; n++) {
            String topic = "topic-" + n;
            observer.accepted(topic, 2);
            gauges.accepted(topic, 2);
            observer.cancelled(topic, "id");
        }
        logger.setLevel(null);

        assertThat(topicTags(registry)).hasSize(21).contains("topic-0", "topic-19", "other");
        assertThat(registry.find("delayqueue.messages").gauges()).hasSize(20 * 4);
        assertThat(registry.get("delayqueue.accepted")
                        .tag("topic", "other")
                        .counter()
                        .count())
                .isEqualTo(2 * (5_000 - 20));
        assertThat(registry.find("delayqueue.cancelled").counters().stream()
                        .mapToDouble(Counter::count)
                        .sum())
                .as("nothing is lost")
                .isEqualTo(5_000);
        assertThat(output.getOut().lines().filter(line -> line.contains("delayqueue.metrics.max-topics")))
                .hasSize(1);
    }

    @Test
    void limitOfTopicsIsAProperty() {
        runner.withPropertyValues("delayqueue.metrics.max-topics=1").run(context -> {
            MeterRegistry registry = context.getBean(MeterRegistry.class);
            IntStream.range(0, 10)
                    .forEach(n -> context.getBean(DelayQueueOperations.class).schedule("t" + n, "m", HOUR));

            await().untilAsserted(() -> assertThat(registry.get("delayqueue.accepted")
                            .tag("topic", "other")
                            .counter()
                            .count())
                    .isEqualTo(10));
            assertThat(topicTags(registry))
                    .as("the listener's is the first")
                    .containsExactlyInAnyOrder("work", "other");
        });
    }

    private static Set<String> topicTags(MeterRegistry registry) {
        return registry.getMeters().stream()
                .map(meter -> meter.getId().getTag("topic"))
                .filter(Objects::nonNull)
                .collect(Collectors.toSet());
    }
}
