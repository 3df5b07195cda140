package io.delayqueue.spring.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.spring.DelayQueueOperations;
import io.delayqueue.spring.annotation.DelayQueueListener;
import io.delayqueue.spring.listener.DelayQueueListenerEndpointRegistry;
import io.delayqueue.spring.testsupport.Contexts;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.DoubleAccumulator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Meters of listeners: slots, messages in flight, claims and failed calls. */
@ExtendWith(EmbeddedRedisExtension.class)
class ListenerMetersTests {

    private final Blocking blocking = new Blocking();
    private ApplicationContextRunner runner = Contexts.runner();

    @BeforeEach
    void useRedis(EmbeddedRedis redis) {
        runner = Metered.runner(redis).withBean(Blocking.class, () -> blocking);
    }

    @AfterEach
    void goOn() {
        blocking.end.countDown();
    }

    @Test
    void gaugesTellTheMessagesOfListeners() {
        runner.run(context -> {
            MeterRegistry registry = context.getBean(MeterRegistry.class);
            assertThat(slots(registry, "work", "free")).isEqualTo(4 + 6);
            DelayQueueOperations queue = context.getBean(DelayQueueOperations.class);

            IntStream.range(0, 3).forEach(n -> queue.schedule("work", "w" + n, Duration.ZERO));

            await().until(() -> slots(registry, "work", "taken") == 3);
            assertThat(slots(registry, "work", "free")).isEqualTo(4 + 6 - 3);
            assertThat(gauge(registry, "delayqueue.in.flight.size", "work")).isBetween(3.0, 3_000.0);
            await().until(() -> gauge(registry, "delayqueue.prefetched", "work") == 0);
            assertThat(gauge(registry, "delayqueue.unsettled", "work")).isZero();
            assertThat(slots(registry, "other-work", "taken"))
                    .as("a neighbour's")
                    .isZero();

            blocking.end.countDown();

            await().until(() -> gauge(registry, "delayqueue.in.flight.size", "work") == 0);
            await().until(() -> slots(registry, "work", "free") == 4 + 6);
            assertThat(registry.get("delayqueue.claim.size")
                            .tag("topic", "work")
                            .summary()
                            .totalAmount())
                    .isEqualTo(3);
        });
    }

    @Test
    void messagesThatRedisHasNotSettledAreCounted(EmbeddedRedis redis) {
        runner.run(context -> {
            MeterRegistry registry = context.getBean(MeterRegistry.class);
            DelayQueueOperations queue = context.getBean(DelayQueueOperations.class);
            IntStream.range(0, 3).forEach(n -> queue.schedule("work", "w" + n, Duration.ZERO));
            await().until(() -> slots(registry, "work", "taken") == 3);
            redis.pause();

            blocking.end.countDown();

            try {
                await().until(() -> gauge(registry, "delayqueue.unsettled", "work") == 3);
            } finally {
                redis.resume();
            }
            await().until(() -> gauge(registry, "delayqueue.unsettled", "work") == 0);
        });
    }

    @Test
    void messagesPrefetchedForQuickHandlersAreCounted() {
        runner.withBean(Quick.class).run(context -> {
            Gauge prefetched = context.getBean(MeterRegistry.class)
                    .get("delayqueue.prefetched")
                    .tag("topic", "quick")
                    .gauge();
            DoubleAccumulator most = new DoubleAccumulator(Math::max, 0);
            // the handlers look: a test that is paused could miss all of it
            context.getBean(Quick.class).look = () -> most.accumulate(prefetched.value());
            DelayQueueClient client = context.getBean(DelayQueueClient.class);
            client.pause("quick");
            client.scheduleAll(IntStream.range(0, 20_000)
                    .mapToObj(n -> OutgoingMessage.to("quick")
                            .payload(new byte[] {'1'})
                            .build())
                    .toList());

            client.resume("quick");

            await().until(() -> most.get() > 0);
        });
    }

    static class Quick {

        volatile Runnable look = () -> {};

        @DelayQueueListener(topic = "quick", concurrency = "2")
        void on(String work) {
            look.run();
        }
    }

    @Test
    void listenersThatAreUnregisteredCountNoMore() {
        runner.run(context -> {
            MeterRegistry registry = context.getBean(MeterRegistry.class);

            context.getBean(DelayQueueListenerEndpointRegistry.class).unregister("small");

            assertThat(slots(registry, "work", "free")).isEqualTo(6);
        });
    }

    @Test
    @Tag("slow")
    void aDeadLoopIsOlderThanALivingOne(EmbeddedRedis redis) {
        runner.withPropertyValues("delayqueue.guard-interval=100ms").run(context -> {
            MeterRegistry registry = context.getBean(MeterRegistry.class);
            redis.pause();
            await().until(() -> seconds(registry, "work") > 3);

            redis.resume();

            await().until(() -> seconds(registry, "work") < 1);
        });
    }

    @Test
    @Tag("slow")
    void failedCallsOfRedisAreCounted(EmbeddedRedis redis) {
        runner.withPropertyValues("delayqueue.command-timeout=200ms", "delayqueue.guard-interval=100ms")
                .run(context -> {
                    MeterRegistry registry = context.getBean(MeterRegistry.class);
                    await().until(() -> registry.find("delayqueue.redis.errors")
                                    .tag("script", "claim")
                                    .counter()
                            != null);
                    double before = errors(registry);
                    redis.pause();

                    await().until(() -> errors(registry) > before + 1);

                    redis.resume();
                });
    }

    @Test
    void listenersOfSurplusTopicsShareATimer() {
        blocking.end.countDown();
        runner.withPropertyValues("delayqueue.metrics.max-topics=1").run(context -> {
            MeterRegistry registry = context.getBean(MeterRegistry.class);
            DelayQueueOperations queue = context.getBean(DelayQueueOperations.class);

            queue.schedule("work", "w", Duration.ZERO);
            queue.schedule("other-work", "w", Duration.ZERO);

            await().until(() -> registry.find("delayqueue.listener").timers().size() == 2);
            assertThat(registry.find("delayqueue.listener").timers())
                    .extracting(timer -> timer.getId().getTag("topic"))
                    .hasSize(2)
                    .contains(MeteredTopics.OTHER);
            assertThat(registry.find("delayqueue.handler.slots").gauges())
                    .as("no gauges of the surplus topic")
                    .hasSize(2);
        });
    }

    private static double slots(MeterRegistry registry, String topic, String state) {
        return registry.get("delayqueue.handler.slots")
                .tags("topic", topic, "state", state)
                .gauge()
                .value();
    }

    private static double gauge(MeterRegistry registry, String name, String topic) {
        return registry.get(name).tag("topic", topic).gauge().value();
    }

    private static double seconds(MeterRegistry registry, String topic) {
        return registry.get("delayqueue.loop.age")
                .tag("topic", topic)
                .timeGauge()
                .value(TimeUnit.SECONDS);
    }

    private static double errors(MeterRegistry registry) {
        return registry.get("delayqueue.redis.errors")
                .tag("script", "claim")
                .counter()
                .count();
    }

    static class Blocking {

        final CountDownLatch end = new CountDownLatch(1);

        @DelayQueueListener(id = "small", topic = "work", concurrency = "4")
        void small(String work) throws InterruptedException {
            end.await();
        }

        @DelayQueueListener(id = "large", topic = "work", concurrency = "6")
        void large(String work) throws InterruptedException {
            end.await();
        }

        @DelayQueueListener(topic = "other-work")
        void other(String work) throws InterruptedException {
            end.await();
        }
    }
}
