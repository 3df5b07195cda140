package io.delayqueue.spring.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.DuplicatePolicy;
import io.delayqueue.spring.DelayQueueOperations;
import io.delayqueue.spring.event.EventPublishingObserver;
import io.delayqueue.spring.testsupport.Contexts;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Names and values of counters and timers. */
@ExtendWith(EmbeddedRedisExtension.class)
class MetersTests {

    private static final Duration HOUR = Duration.ofHours(1);
    private ApplicationContextRunner runner = Contexts.runner();

    @BeforeEach
    void useRedis(EmbeddedRedis redis) {
        runner = Metered.runner(redis).withBean(Metered.Listener.class);
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
}
