package io.delayqueue.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.DelayQueueClosedException;
import io.delayqueue.DelayQueueObserver;
import io.delayqueue.DelayQueueOptions;
import io.delayqueue.TopicFullException;
import io.delayqueue.spring.DelayQueueOperations;
import io.delayqueue.spring.DelayQueueTemplate;
import io.delayqueue.spring.annotation.DelayQueueListener;
import io.delayqueue.spring.testsupport.Contexts;
import io.delayqueue.spring.testsupport.Received;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import io.lettuce.core.RedisClient;
import java.lang.reflect.Proxy;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.data.redis.core.StringRedisTemplate;

@ExtendWith(EmbeddedRedisExtension.class)
class DelayQueueAutoConfigurationTests {

    private static final Duration HOUR = Duration.ofHours(1);

    private ApplicationContextRunner runner = Contexts.runner();

    @BeforeEach
    void useRedis(EmbeddedRedis redis) {
        runner = Contexts.runner(redis);
    }

    @Test
    void clientAndTemplateUseTheApplicationsRedis() {
        runner.run(context -> {
            assertThat(context).hasSingleBean(DelayQueueClient.class).hasSingleBean(DelayQueueTemplate.class);
            context.getBean(DelayQueueOperations.class).schedule("orders", "a", HOUR);

            assertThat(context.getBean(StringRedisTemplate.class).opsForSet().members("dq:topics"))
                    .containsExactly("orders");
        });
    }

    @Test
    void thereAreNoBeansIfDisabled() {
        runner.withPropertyValues("delayqueue.enabled=false")
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .doesNotHaveBean(DelayQueueClient.class)
                        .doesNotHaveBean(DelayQueueOperations.class)
                        .doesNotHaveBean(DelayQueueProperties.class)
                        .doesNotHaveBean(DelayQueueObserver.class));
    }

    @Test
    void clientBacksOffWhenUserDefinesOne(EmbeddedRedis redis) {
        try (RedisClient client = RedisClient.create(redis.uri());
                DelayQueueClient own = DelayQueueClient.create(client, DelayQueueOptions.defaults())) {
            runner.withBean("own", DelayQueueClient.class, () -> own)
                    .run(context ->
                            assertThat(context).getBean(DelayQueueClient.class).isSameAs(own));
        }
    }

    @Test
    void templateBacksOffWhenUserDefinesOperations() {
        DelayQueueOperations own = (DelayQueueOperations) Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {DelayQueueOperations.class},
                (proxy, method, args) -> null);
        runner.withBean("own", DelayQueueOperations.class, () -> own)
                .run(context -> assertThat(context)
                        .hasSingleBean(DelayQueueOperations.class)
                        .doesNotHaveBean(DelayQueueTemplate.class));
    }

    @Test
    void valueOutOfRangeFailsTheStartAndNamesItsProperty() {
        failsFor("delayqueue.key-prefix=a b", "delayqueue.key-prefix");
        failsFor("delayqueue.guard-interval=1ms", "delayqueue.guard-interval");
        failsFor("delayqueue.max-payload=100MB", "delayqueue.max-payload");
        failsFor("delayqueue.max-payload=10GB", "delayqueue.max-payload");
        failsFor("delayqueue.max-waiting-messages=0", "delayqueue.max-waiting-messages");
        failsFor("delayqueue.max-waiting-bytes=0B", "delayqueue.max-waiting-bytes");
        failsFor("delayqueue.max-in-flight-bytes=1KB", "delayqueue.max-in-flight-bytes");
        failsFor("delayqueue.command-timeout=0s", "delayqueue.command-timeout");
        failsFor("delayqueue.shutdown-timeout=-1s", "delayqueue.shutdown-timeout");
        failsFor("delayqueue.wait-for-replicas.count=-1", "delayqueue.wait-for-replicas.count");
        failsFor("delayqueue.wait-for-replicas.timeout=0s", "delayqueue.wait-for-replicas.timeout");
        failsFor("delayqueue.wait-for-replicas.timeout=-1s", "delayqueue.wait-for-replicas.timeout");
        failsFor("delayqueue.topics[a{b].max-pending=1", "delayqueue.topics.a{b");
        failsFor("delayqueue.topics.orders.max-pending=-1", "delayqueue.topics.orders.max-pending");
        failsFor("delayqueue.topics.orders.partitions=0", "delayqueue.topics.orders.partitions");
        failsFor("delayqueue.topics.orders.partitions=257", "delayqueue.topics.orders.partitions");
        failsFor("delayqueue.topics.orders.dead-letter-retention=0s", "delayqueue.topics.orders.dead-letter-retention");
        failsFor("delayqueue.listener.concurrency=0", "delayqueue.listener.concurrency", Listening.class);
        failsFor("delayqueue.listener.lease=0s", "delayqueue.listener.lease", Listening.class);
        failsFor("delayqueue.listener.timeout=-1s", "delayqueue.listener.timeout", Listening.class);
        failsFor("delayqueue.listener.max-attempts=0", "delayqueue.listener.max-attempts", Listening.class);
    }

    @Test
    void backoffOutOfRangeFailsTheStartAndNamesItsProperty() {
        failsFor("delayqueue.listener.backoff.initial=0s", "delayqueue.listener.backoff.initial", Listening.class);
        failsFor("delayqueue.listener.backoff.initial=400000d", "delayqueue.listener.backoff.initial", Listening.class);
        failsFor(
                "delayqueue.listener.backoff.multiplier=0.5",
                "delayqueue.listener.backoff.multiplier",
                Listening.class);
        failsFor("delayqueue.listener.backoff.max=10ms", "delayqueue.listener.backoff.max", Listening.class);
        failsFor("delayqueue.listener.backoff.jitter=1.5", "delayqueue.listener.backoff.jitter", Listening.class);
        failsFor("delayqueue.listener.backoff.delays=1s,-1s", "delayqueue.listener.backoff.delays", Listening.class);
    }

    @Test
    void optionsOfATopicApply() {
        runner.withPropertyValues(
                        "delayqueue.topics.orders.max-pending=1",
                        "delayqueue.topics[a.b].max-pending=2",
                        "delayqueue.key-prefix=dq:shop")
                .run(context -> {
                    DelayQueueOperations template = context.getBean(DelayQueueOperations.class);
                    template.schedule("orders", "a", HOUR);

                    assertThatExceptionOfType(TopicFullException.class)
                            .isThrownBy(() -> template.schedule("orders", "b", HOUR));
                    assertThat(context.getBean(StringRedisTemplate.class)
                                    .opsForSet()
                                    .members("dq:shop:topics"))
                            .containsExactly("orders");
                });
    }

    @Test
    void startsWithoutRedisAndUsesItOnceItAnswers() {
        try (EmbeddedRedis late = EmbeddedRedis.start()) {
            late.kill();
            Contexts.runner(late.port()).run(context -> {
                assertThat(context).hasNotFailed();
                DelayQueueOperations template = context.getBean(DelayQueueOperations.class);

                late.restart();

                Awaitility.await()
                        .ignoreExceptions()
                        .atMost(Duration.ofSeconds(60))
                        .until(() -> !template.schedule("orders", "a", HOUR).isEmpty());
            });
        }
    }

    @Test
    void allObserversAreNotifiedEvenIfOneFails() {
        Received<String> accepted = new Received<>();
        runner.withBean("failing", DelayQueueObserver.class, () -> new DelayQueueObserver() {
                    @Override
                    public void accepted(String topic, int count) {
                        throw new IllegalStateException("observer failed on purpose");
                    }
                })
                .withBean("recording", DelayQueueObserver.class, () -> new DelayQueueObserver() {
                    @Override
                    public void accepted(String topic, int count) {
                        accepted.add(topic);
                    }
                })
                .run(context -> {
                    context.getBean(DelayQueueOperations.class).schedule("orders", "a", HOUR);

                    assertThat(accepted.first()).isEqualTo("orders");
                });
    }

    @Test
    void clientIsClosedWithTheContext() {
        DelayQueueClient[] closed = new DelayQueueClient[1];
        runner.run(context -> closed[0] = context.getBean(DelayQueueClient.class));

        assertThatExceptionOfType(DelayQueueClosedException.class).isThrownBy(() -> closed[0].stats("orders"));
    }

    @Test
    void clientIsCreatedAgainWhenTheContextIsRestarted() {
        runner.run(context -> {
            DelayQueueOperations template = context.getBean(DelayQueueOperations.class);
            context.getSourceApplicationContext().stop();
            assertThatExceptionOfType(DelayQueueClosedException.class)
                    .isThrownBy(() -> template.schedule("orders", "a", HOUR));

            context.getSourceApplicationContext().start();

            assertThat(template.schedule("orders", "a", HOUR)).isNotBlank();
        });
    }

    private void failsFor(String value, String property, Class<?>... beans) {
        ApplicationContextRunner failing = runner.withPropertyValues(value);
        for (Class<?> bean : beans) {
            failing = failing.withBean(bean);
        }
        failing.run(context -> {
            assertThat(context).as(value).hasFailed();
            Throwable cause = context.getStartupFailure();
            while (cause != null && !(cause instanceof InvalidConfigurationPropertyValueException)) {
                cause = cause.getCause();
            }
            assertThat(cause)
                    .as(value)
                    .isInstanceOfSatisfying(
                            InvalidConfigurationPropertyValueException.class,
                            failure -> assertThat(failure.getName()).isEqualTo(property));
        });
    }

    static class Listening {
        @DelayQueueListener(topic = "orders")
        void on(String order) {}
    }
}
