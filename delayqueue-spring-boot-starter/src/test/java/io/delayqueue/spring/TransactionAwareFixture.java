package io.delayqueue.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.spring.testsupport.Contexts;
import io.delayqueue.spring.testsupport.NoResources;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.ContextConsumer;
import org.springframework.transaction.support.TransactionTemplate;

/** {@code delayqueue.transaction-aware=true}, with transactions of no resource. */
@ExtendWith(EmbeddedRedisExtension.class)
abstract class TransactionAwareFixture {

    static final Duration HOUR = Duration.ofHours(1);
    final TransactionTemplate transaction = new TransactionTemplate(new NoResources());
    ApplicationContextRunner runner = Contexts.runner();

    @BeforeEach
    void useRedis(EmbeddedRedis redis) {
        runner = Contexts.runner(redis).withPropertyValues("delayqueue.transaction-aware=true");
    }

    void with(Scenario test) {
        ContextConsumer<AssertableApplicationContext> consumer = context -> test.run(
                context.getBean(DelayQueueOperations.class),
                () -> context.getBean(DelayQueueClient.class)
                        .stats("orders")
                        .totals()
                        .accepted());
        runner.run(consumer);
    }

    interface Scenario {
        void run(DelayQueueOperations template, Scheduled scheduled);
    }

    /** Number of messages that were ever scheduled. */
    interface Scheduled {
        long get();

        default void await(long count) {
            Awaitility.await().untilAsserted(() -> assertThat(get()).isEqualTo(count));
        }
    }
}
