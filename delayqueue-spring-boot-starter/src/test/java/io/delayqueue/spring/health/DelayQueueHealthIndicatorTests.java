package io.delayqueue.spring.health;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.spring.DelayQueueOperations;
import io.delayqueue.spring.annotation.DelayQueueListener;
import io.delayqueue.spring.autoconfigure.DelayQueueHealthContributorAutoConfiguration;
import io.delayqueue.spring.listener.DelayQueueListenerContainer;
import io.delayqueue.spring.listener.DelayQueueListenerEndpointRegistry;
import io.delayqueue.spring.testsupport.Contexts;
import io.delayqueue.spring.testsupport.SecondClient;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

@ExtendWith(EmbeddedRedisExtension.class)
class DelayQueueHealthIndicatorTests {

    private ApplicationContextRunner runner = Contexts.runner();

    @BeforeEach
    void useRedis(EmbeddedRedis redis) {
        runner = Contexts.runner(redis)
                .withConfiguration(AutoConfigurations.of(DelayQueueHealthContributorAutoConfiguration.class))
                .withPropertyValues("delayqueue.shutdown-timeout=100ms");
    }

    @Test
    void upWithTheNumbersOfEachTopic() {
        runner.withBean("listener", Busy.class).run(context -> {
            context.getBean(DelayQueueOperations.class).schedule("work", "w", Duration.ofHours(1));

            Health health = health(context);

            assertThat(health.getStatus()).isEqualTo(Status.UP);
            assertThat(topic(health))
                    .containsEntry("status", "UP")
                    .containsEntry("scheduled", 1L)
                    .containsEntry("ready", 0L)
                    .containsEntry("listeners", Map.of("listener.on", "running"));
        });
    }

    @Test
    void upWithoutListeners() {
        runner.run(context -> {
            assertThat(health(context).getStatus()).isEqualTo(Status.UP);
            assertThat(context.getBean(DelayQueueClient.class).topics()).isEmpty();
        });
    }

    @Test
    void downWhileRedisDoesNotAnswerAndUpAgainAfterwards(EmbeddedRedis redis) {
        runner.withBean("listener", Busy.class)
                .withPropertyValues("delayqueue.command-timeout=300ms")
                .run(context -> {
                    redis.pause();
                    Health health = health(context);
                    assertThat(health.getStatus()).isEqualTo(Status.DOWN);
                    assertThat(health.getDetails().get("error")).asString().contains("RedisUnavailableException");

                    redis.resume();
                    await().untilAsserted(() ->
                            assertThat(health(context).getStatus()).isEqualTo(Status.UP));
                });
    }

    @Test
    void downWhileTheServerOfAnotherClientWithoutListenersDoesNotAnswer() {
        try (EmbeddedRedis other = EmbeddedRedis.start()) {
            runner.withBean("second", SecondClient.class, () -> new SecondClient(other.port()))
                    .withPropertyValues("delayqueue.command-timeout=1s")
                    .run(context -> {
                        // to connect may take longer than a command
                        await().untilAsserted(() ->
                                assertThat(health(context).getStatus()).isEqualTo(Status.UP));

                        other.pause();
                        assertThat(health(context).getStatus()).isEqualTo(Status.DOWN);
                        other.resume();
                    });
        }
    }

    @Test
    void overdueIfAReadyMessageWaitsForTooLong() {
        runner.withBean("listener", Busy.class)
                .withPropertyValues("delayqueue.listener.concurrency=1")
                .run(context -> {
                    DelayQueueOperations template = context.getBean(DelayQueueOperations.class);
                    template.schedule("work", "keeps the listener busy", Duration.ZERO);
                    context.getBean(Busy.class).started.await();
                    template.schedule("work", "overdue", Instant.now().minusSeconds(90));

                    await().untilAsserted(() -> {
                        Health health = health(context);
                        assertThat(health.getStatus()).isEqualTo(DelayQueueHealthIndicator.OVERDUE);
                        assertThat(topic(health)).containsEntry("status", "OVERDUE");
                        assertThat(topic(health).get("overdue"))
                                .asString()
                                .startsWith("a message has been ready for PT1M3");
                    });
                    context.getBean(Busy.class).release.countDown();
                });
    }

    @Test
    void thresholdIsAProperty() {
        runner.withBean("listener", Busy.class)
                .withPropertyValues("delayqueue.listener.concurrency=1", "delayqueue.health.overdue-threshold=1h")
                .run(context -> {
                    DelayQueueOperations template = context.getBean(DelayQueueOperations.class);
                    template.schedule("work", "keeps the listener busy", Duration.ZERO);
                    context.getBean(Busy.class).started.await();
                    template.schedule("work", "overdue", Instant.now().minusSeconds(90));
                    await().until(() -> context.getBean(DelayQueueClient.class)
                                    .stats("work")
                                    .pending()
                                    .ready()
                            == 1);

                    assertThat(health(context).getStatus()).isEqualTo(Status.UP);
                    context.getBean(Busy.class).release.countDown();
                });
    }

    @Test
    void upWithOverdueMessagesOfAPausedTopic() {
        runner.withBean("listener", Busy.class).run(context -> {
            context.getBean(DelayQueueClient.class).pause("work");
            context.getBean(DelayQueueOperations.class)
                    .schedule("work", "w", Instant.now().minusSeconds(90));

            Health health = health(context);
            assertThat(health.getStatus()).isEqualTo(Status.UP);
            assertThat(topic(health)).containsEntry("paused", true).containsEntry("ready", 1L);
        });
    }

    @Test
    void upWithOverdueMessagesOfAStoppedOrPausedListener() {
        runner.withBean("listener", Busy.class).run(context -> {
            DelayQueueListenerContainer container = context.getBean(DelayQueueListenerEndpointRegistry.class)
                    .container("listener.on")
                    .orElseThrow();
            container.pause();
            context.getBean(DelayQueueOperations.class)
                    .schedule("work", "w", Instant.now().minusSeconds(90));
            assertThat(topic(health(context)))
                    .containsEntry("status", "UP")
                    .containsEntry("listeners", Map.of("listener.on", "paused"));

            container.stop(Duration.ZERO);
            assertThat(topic(health(context)))
                    .containsEntry("status", "UP")
                    .containsEntry("listeners", Map.of("listener.on", "stopped"));
        });
    }

    private static Health health(AssertableApplicationContext context) {
        return context.getBean(DelayQueueHealthIndicator.class).health();
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> topic(Health health) {
        return (Map<String, Object>) ((Map<String, Object>) health.getDetails().get("topics")).get("work");
    }

    static class Busy {
        final CountDownLatch started = new CountDownLatch(1);
        final CountDownLatch release = new CountDownLatch(1);

        @DelayQueueListener(topic = "work")
        void on(String work) throws InterruptedException {
            started.countDown();
            release.await();
        }
    }
}
