package io.delayqueue.spring.health;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.spring.DelayQueueOperations;
import io.delayqueue.spring.annotation.DelayQueueListener;
import io.delayqueue.spring.autoconfigure.DelayQueueHealthContributorAutoConfiguration;
import io.delayqueue.spring.testsupport.Contexts;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;

@ExtendWith(EmbeddedRedisExtension.class)
class AbandonedHandlersHealthTests {

    @Test
    void aListenerWithoutSlotsSaysWhyAndIsUpWhenItsHandlersEnd(EmbeddedRedis redis) {
        Contexts.runner(redis)
                .withConfiguration(AutoConfigurations.of(DelayQueueHealthContributorAutoConfiguration.class))
                .withPropertyValues(
                        "delayqueue.shutdown-timeout=100ms",
                        "delayqueue.listener.concurrency=1",
                        "delayqueue.listener.timeout=50ms",
                        "delayqueue.listener.max-attempts=1000")
                .withBean("listener", Stubborn.class)
                .run(context -> {
                    DelayQueueOperations template = context.getBean(DelayQueueOperations.class);
                    for (int i = 0; i < 5; i++) {
                        template.schedule("work", "w" + i, Duration.ZERO);
                    }
                    DelayQueueHealthIndicator indicator = context.getBean(DelayQueueHealthIndicator.class);

                    await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
                        Health health = indicator.health();
                        assertThat(health.getStatus()).isEqualTo(Status.DOWN);
                        assertThat(((Map<?, ?>) health.getDetails().get("topics")).toString())
                                .contains("lacks handler slots: 2 handlers exceeded their timeout and still run");
                    });

                    context.getBean(Stubborn.class).released.countDown();
                    await().atMost(Duration.ofSeconds(30))
                            .untilAsserted(() ->
                                    assertThat(indicator.health().getStatus()).isEqualTo(Status.UP));
                });
    }

    static class Stubborn {

        final CountDownLatch released = new CountDownLatch(1);

        @DelayQueueListener(topic = "work")
        void on(String work) {
            while (released.getCount() > 0) {
                try {
                    released.await();
                } catch (InterruptedException e) {
                    // ignored, as the listener of this test does
                }
            }
        }
    }
}
