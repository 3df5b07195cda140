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
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.dao.DataAccessException;
import org.springframework.data.redis.connection.RedisClusterConnection;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisSentinelConnection;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.test.util.TestSocketUtils;

@ExtendWith(EmbeddedRedisExtension.class)
class DelayQueueAutoConfigurationTests {

    private static final Duration HOUR = Duration.ofHours(1);

    private ApplicationContextRunner runner = Contexts.runner();

    @BeforeEach
    void useRedis(EmbeddedRedis redis) {
        runner = Contexts.runner(redis);
    }

    @Test
    void delayQueueAndTemplateUseTheApplicationsRedis() {
        runner.run(context -> {
            assertThat(context).hasSingleBean(DelayQueueClient.class).hasSingleBean(DelayQueueTemplate.class);
            context.getBean(DelayQueueOperations.class).schedule("orders", "a", HOUR);

            assertThat(context.getBean(StringRedisTemplate.class).opsForSet().members("dq:topics"))
                    .containsExactly("orders");
        });
    }

    @Test
    void nothingIsThereWhenDisabled() {
        runner.withPropertyValues("delayqueue.enabled=false")
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .doesNotHaveBean(DelayQueueClient.class)
                        .doesNotHaveBean(DelayQueueOperations.class)
                        .doesNotHaveBean(DelayQueueProperties.class)
                        .doesNotHaveBean(DelayQueueObserver.class));
    }

    @Test
    void delayQueueBacksOffWhenUserDefinesOne(EmbeddedRedis redis) {
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
    void anotherConnectionFactoryIsTakenByItsQualifier(EmbeddedRedis redis) {
        Contexts.runner(TestSocketUtils.findAvailableTcpPort())
                .withUserConfiguration(OwnConnectionFactory.class)
                .withPropertyValues("own.port=" + redis.port())
                .run(context -> {
                    assertThat(context).getBeans(RedisConnectionFactory.class).hasSize(2);
                    assertThat(context.getBean(DelayQueueOperations.class).schedule("orders", "a", HOUR))
                            .isNotBlank();
                });
    }

    @Test
    void severalConnectionFactoriesOfWhichNoneIsMeantFailTheStart() {
        runner.withUserConfiguration(TwoConnectionFactories.class)
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .isInstanceOf(UnusableConnectionFactoryException.class)
                        .hasMessageContaining("several RedisConnectionFactory beans"));
    }

    @Test
    void missingConnectionFactoryFailsTheStart() {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        DelayQueueAutoConfiguration.class, DelayQueueJacksonAutoConfiguration.class))
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .isInstanceOfSatisfying(UnusableConnectionFactoryException.class, failure -> {
                            assertThat(failure).hasMessageContaining("no RedisConnectionFactory bean");
                            assertThat(failure.action()).contains("spring.data.redis.*", "delayqueue.enabled=false");
                        }));
    }

    @Test
    void connectionFactoryThatIsNotLettucesFailsTheStart() {
        runner.withBean("other", RedisConnectionFactory.class, OtherConnectionFactory::new)
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .isInstanceOf(UnusableConnectionFactoryException.class)
                        .hasMessageContaining(OtherConnectionFactory.class.getName()));
    }

    @Test
    void staticMasterAndReplicasFailTheStart() {
        runner.withPropertyValues("spring.data.redis.masterreplica.nodes=127.0.0.1:1,127.0.0.1:2")
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .isInstanceOf(UnusableConnectionFactoryException.class)
                        .hasMessageContaining("static master and replica nodes"));
    }

    @Test
    void valueOutOfRangeFailsTheStartAndNamesItsProperty() {
        failsFor("delayqueue.key-prefix=a b", "delayqueue.key-prefix");
        failsFor("delayqueue.guard-interval=1ms", "delayqueue.guard-interval");
        failsFor("delayqueue.max-payload=100MB", "delayqueue.max-payload");
        failsFor("delayqueue.max-payload=10GB", "delayqueue.max-payload");
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
        failsFor("delayqueue.listener.timeout=0s", "delayqueue.listener.timeout", Listening.class);
        failsFor("delayqueue.listener.max-attempts=0", "delayqueue.listener.max-attempts", Listening.class);
        failsFor("delayqueue.listener.backoff.multiplier=0.5", "delayqueue.listener.backoff", Listening.class);
    }

    @Test
    void topicsLimitsApply() {
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
    void startsWithoutRedisAndFindsItLater() {
        try (EmbeddedRedis late = EmbeddedRedis.start()) {
            late.kill();
            Contexts.runner(late.port()).run(context -> {
                assertThat(context).hasNotFailed();
                DelayQueueOperations template = context.getBean(DelayQueueOperations.class);

                late.restart();

                Awaitility.await()
                        .ignoreExceptions()
                        .atMost(Duration.ofSeconds(20))
                        .until(() -> !template.schedule("orders", "a", HOUR).isEmpty());
            });
        }
    }

    @Test
    void allObserversAreToldThoughOneFails() {
        Received<String> told = new Received<>();
        runner.withBean("failing", DelayQueueObserver.class, () -> new DelayQueueObserver() {
                    @Override
                    public void accepted(String topic, int count) {
                        throw new IllegalStateException("observer failed on purpose");
                    }
                })
                .withBean("noting", DelayQueueObserver.class, () -> new DelayQueueObserver() {
                    @Override
                    public void accepted(String topic, int count) {
                        told.add(topic);
                    }
                })
                .run(context -> {
                    context.getBean(DelayQueueOperations.class).schedule("orders", "a", HOUR);

                    assertThat(told.first()).isEqualTo("orders");
                });
    }

    @Test
    void delayQueueIsClosedWithTheContext() {
        DelayQueueClient[] closed = new DelayQueueClient[1];
        runner.run(context -> closed[0] = context.getBean(DelayQueueClient.class));

        assertThatExceptionOfType(DelayQueueClosedException.class).isThrownBy(() -> closed[0].stats("orders"));
    }

    @Test
    void delayQueueIsMadeAnewWhenTheContextIsStartedAgain() {
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

    @Configuration(proxyBeanMethods = false)
    static class OwnConnectionFactory {
        @Bean(name = DelayQueueAutoConfiguration.CONNECTION_FACTORY, defaultCandidate = false)
        LettuceConnectionFactory own(Environment environment) {
            return new LettuceConnectionFactory(new RedisStandaloneConfiguration(
                    "127.0.0.1", environment.getRequiredProperty("own.port", Integer.class)));
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class TwoConnectionFactories {
        @Bean
        LettuceConnectionFactory one() {
            return new LettuceConnectionFactory();
        }

        @Bean
        LettuceConnectionFactory two() {
            return new LettuceConnectionFactory();
        }
    }

    private static final class OtherConnectionFactory implements RedisConnectionFactory {
        @Override
        public RedisConnection getConnection() {
            throw new UnsupportedOperationException();
        }

        @Override
        public RedisClusterConnection getClusterConnection() {
            throw new UnsupportedOperationException();
        }

        @Override
        public RedisSentinelConnection getSentinelConnection() {
            throw new UnsupportedOperationException();
        }

        @Override
        public boolean getConvertPipelineAndTxResults() {
            return true;
        }

        @Override
        public @Nullable DataAccessException translateExceptionIfPossible(RuntimeException failure) {
            return null;
        }
    }
}
