package io.delayqueue.spring.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.delayqueue.DelayQueueClient;
import io.delayqueue.DuplicatePolicy;
import io.delayqueue.TopicStats;
import io.delayqueue.spring.DelayQueueOperations;
import io.delayqueue.spring.annotation.DelayQueueListener;
import io.delayqueue.spring.autoconfigure.DelayQueueMetricsAutoConfiguration;
import io.delayqueue.spring.autoconfigure.DelayQueueObservationAutoConfiguration;
import io.delayqueue.spring.event.EventPublishingObserver;
import io.delayqueue.spring.testsupport.Contexts;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.slf4j.LoggerFactory;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** Names and values of meters. */
@ExtendWith(EmbeddedRedisExtension.class)
class MetersTests {

    private static final Duration HOUR = Duration.ofHours(1);

    private ApplicationContextRunner runner = Contexts.runner();

    @BeforeEach
    void useRedis(EmbeddedRedis redis) {
        runner = Contexts.runner(redis)
                .withConfiguration(AutoConfigurations.of(
                        MetricsAutoConfiguration.class,
                        CompositeMeterRegistryAutoConfiguration.class,
                        ObservationAutoConfiguration.class,
                        DelayQueueMetricsAutoConfiguration.class,
                        DelayQueueObservationAutoConfiguration.class))
                .withBean(SimpleMeterRegistry.class)
                .withBean(Listener.class);
    }

    @Test
    void orphanedAndDeferredMessagesAreCounted() {
        MeterRegistry registry = new SimpleMeterRegistry();
        MeterObserver observer = new MeterObserver(registry, new MeteredTopics(10));
        observer.orphaned("work", 3);
        observer.deferredToNewerVersion("work", 4);
        observer.deferredToNewerVersion("work", 1);

        assertThat(registry.get("delayqueue.orphaned")
                        .tag("topic", "work")
                        .counter()
                        .count())
                .isEqualTo(3);
        assertThat(registry.get("delayqueue.deferred")
                        .tag("topic", "work")
                        .counter()
                        .count())
                .isEqualTo(5);
    }

    @Test
    void expiredAndLostLeasesAreCountedApart() {
        MeterRegistry registry = new SimpleMeterRegistry();
        MeterObserver observer = new MeterObserver(registry, new MeteredTopics(10));
        observer.leaseExpired("work", "a");
        observer.leaseExpired("work", "b");

        assertThat(registry.get("delayqueue.lease.expired")
                        .tag("topic", "work")
                        .counter()
                        .count())
                .isEqualTo(2);
        assertThat(registry.get("delayqueue.lease.lost")
                        .tag("topic", "work")
                        .counter()
                        .count())
                .isZero();
    }

    @Test
    void rejectedDuplicatesAreCounted() {
        runner.run(context -> {
            DelayQueueOperations template = context.getBean(DelayQueueOperations.class);
            MeterRegistry registry = context.getBean(MeterRegistry.class);
            for (int i = 0; i < 3; i++) {
                template.message("twice", "a").id("a").delay(HOUR).schedule();
            }
            template.message("twice", "a")
                    .id("a")
                    .ifExists(DuplicatePolicy.KEEP)
                    .schedule();

            assertThat(registry.get("delayqueue.duplicates")
                            .tag("topic", "twice")
                            .counter()
                            .count())
                    .isEqualTo(2);
        });
    }

    @Test
    void countersAndTimersFollowTheMessages() {
        runner.run(context -> {
            DelayQueueOperations template = context.getBean(DelayQueueOperations.class);
            MeterRegistry registry = context.getBean(MeterRegistry.class);
            template.schedule("work", "fine", Duration.ZERO);
            template.schedule("work", "fails", Duration.ZERO);
            template.cancel("work", template.schedule("work", "cancelled", HOUR));

            await().until(() -> registry.get("delayqueue.dead")
                            .tag("topic", "work")
                            .counter()
                            .count()
                    == 1);
            await().until(() -> registry.find("delayqueue.listener").timers().stream()
                            .mapToLong(Timer::count)
                            .sum()
                    == 3);

            assertThat(registry.get("delayqueue.accepted")
                            .tag("topic", "work")
                            .counter()
                            .count())
                    .isEqualTo(3);
            assertThat(registry.get("delayqueue.cancelled")
                            .tag("topic", "work")
                            .counter()
                            .count())
                    .isEqualTo(1);
            assertThat(registry.get("delayqueue.retried")
                            .tag("topic", "work")
                            .counter()
                            .count())
                    .isEqualTo(1);
            assertThat(registry.get("delayqueue.expired")
                            .tag("topic", "work")
                            .counter()
                            .count())
                    .isZero();
            assertThat(registry.get("delayqueue.lease.lost")
                            .tag("topic", "work")
                            .counter()
                            .count())
                    .isZero();
            assertThat(registry.get("delayqueue.delivery.lag")
                            .tag("topic", "work")
                            .timer()
                            .count())
                    .isEqualTo(3);
            assertThat(registry.get("delayqueue.redis.call")
                            .tag("script", "claim")
                            .timer()
                            .count())
                    .isPositive();
            assertThat(registry.get("delayqueue.listener")
                            .tags("topic", "work", "error", "none")
                            .timer()
                            .count())
                    .isEqualTo(1);
            assertThat(registry.get("delayqueue.listener")
                            .tags("topic", "work", "error", "IllegalStateException")
                            .timer()
                            .count())
                    .isEqualTo(2);
        });
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
    void pausedTopicsAreTold() {
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
    void droppedEventsAreCounted() {
        CountDownLatch release = new CountDownLatch(1);
        EventPublishingObserver observer = new EventPublishingObserver(event -> awaitQuietly(release));
        runner.withBean(EventPublishingObserver.class, () -> observer).run(context -> {
            IntStream.range(0, EventPublishingObserver.MAX_QUEUED_EVENTS + 1 + 5)
                    .forEach(n -> observer.expired("work", "w" + n));
            release.countDown();

            assertThat(context.getBean(MeterRegistry.class)
                            .get("delayqueue.events.dropped")
                            .functionCounter()
                            .count())
                    .isEqualTo(5);
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
            return zeros(topics);
        });
        IntStream.range(0, 20).forEach(n -> gauges.accepted("topic-" + n, 1));

        assertThat(registry.getMeters()).hasSize(120);
        registry.forEachMeter(meter -> meter.measure()
                .forEach(measurement -> assertThat(measurement.getValue()).isZero()));

        assertThat(calls).hasValue(1);
    }

    @Test
    @ExtendWith(OutputCaptureExtension.class)
    void numberOfTopicsWithMetersIsLimited(CapturedOutput output) {
        Logger logger = (Logger) LoggerFactory.getLogger(MeteredTopics.class);
        logger.setLevel(Level.WARN);
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        MeteredTopics metered = new MeteredTopics(20);
        MeterObserver observer = new MeterObserver(registry, metered);
        TopicGauges gauges = new TopicGauges(registry, metered, MetersTests::zeros);

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

    @Test
    void everyMeterHasADescription() {
        runner.run(context -> {
            context.getBean(DelayQueueOperations.class).schedule("work", "fine", Duration.ZERO);
            MeterRegistry registry = context.getBean(MeterRegistry.class);
            await().until(() -> registry.find("delayqueue.listener").timer() != null);

            assertThat(registry.getMeters().stream()
                            .map(Meter::getId)
                            .filter(id -> id.getName().startsWith("delayqueue.")
                                    && !id.getName().startsWith("delayqueue.listener")
                                    // the simple registry's own, for buckets
                                    && !id.getName().endsWith(".histogram")))
                    .isNotEmpty()
                    .allSatisfy(id ->
                            assertThat(id.getDescription()).as(id.getName()).isNotBlank());
        });
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static Map<String, Double> messages(MeterRegistry registry) {
        return registry.get("delayqueue.messages").tag("topic", "work").gauges().stream()
                .collect(Collectors.toMap(
                        gauge -> String.valueOf(gauge.getId().getTag("state")), gauge -> gauge.value()));
    }

    private static Map<String, TopicStats> zeros(Collection<String> topics) {
        Map<String, TopicStats> stats = new LinkedHashMap<>();
        topics.forEach(topic -> stats.put(
                topic,
                new TopicStats(topic, TopicStats.Pending.NONE, 0, 0, TopicStats.Totals.ZERO, Instant.EPOCH, false)));
        return stats;
    }

    static class Listener {
        @DelayQueueListener(topic = "work", maxAttempts = "2")
        void on(String work) {
            if (work.equals("fails")) {
                throw new IllegalStateException("failed on purpose");
            }
        }
    }
}
