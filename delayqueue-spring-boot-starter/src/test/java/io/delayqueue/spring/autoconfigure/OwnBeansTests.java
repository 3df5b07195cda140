package io.delayqueue.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.DelayQueueObserver;
import io.delayqueue.DelayQueueOptions;
import io.delayqueue.ReceivedMessage;
import io.delayqueue.spring.DelayQueueOperations;
import io.delayqueue.spring.DelayQueueTemplate;
import io.delayqueue.spring.HeaderContributor;
import io.delayqueue.spring.PayloadConverter;
import io.delayqueue.spring.annotation.DelayQueueListener;
import io.delayqueue.spring.listener.DelayQueueInterceptor;
import io.delayqueue.spring.listener.DelayQueueListenerContainerFactory;
import io.delayqueue.spring.listener.DelayQueueListenerEndpointRegistry;
import io.delayqueue.spring.listener.ListenerMethods;
import io.delayqueue.spring.testsupport.Contexts;
import io.delayqueue.spring.testsupport.NoResources;
import io.delayqueue.spring.testsupport.Received;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import io.lettuce.core.RedisClient;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.messaging.MessageHeaders;
import org.springframework.transaction.support.TransactionTemplate;

/** An application that replaces beans of the starter, without losing what these came with. */
@ExtendWith(EmbeddedRedisExtension.class)
class OwnBeansTests {

    private ApplicationContextRunner runner = Contexts.runner();

    @BeforeEach
    void useRedis(EmbeddedRedis redis) {
        runner = Contexts.runner(redis);
    }

    @Test
    void disabledStarterLeavesAnOwnClientAlone(EmbeddedRedis redis) {
        try (RedisClient client = RedisClient.create(redis.uri());
                DelayQueueClient own = DelayQueueClient.create(client, DelayQueueOptions.defaults())) {
            runner.withPropertyValues("delayqueue.enabled=false")
                    .withConfiguration(AutoConfigurations.of(
                            DelayQueueHealthContributorAutoConfiguration.class,
                            DelayQueueEndpointAutoConfiguration.class,
                            DelayQueueMetricsAutoConfiguration.class,
                            DelayQueueObservationAutoConfiguration.class,
                            DelayQueueTracingAutoConfiguration.class))
                    .withBean("own", DelayQueueClient.class, () -> own)
                    .run(context -> assertThat(context)
                            .hasNotFailed()
                            .hasSingleBean(DelayQueueClient.class)
                            .doesNotHaveBean(DelayQueueListenerEndpointRegistry.class)
                            .doesNotHaveBean(DelayQueueOperations.class));
        }
    }

    @Test
    void customizersChangeOptionsAfterTheProperties() {
        runner.withPropertyValues("delayqueue.key-prefix=dq:shop", "delayqueue.guard-interval=1s")
                .withBean("prefix", DelayQueueOptionsCustomizer.class, () -> options -> options.keyPrefix("dq:other"))
                .withBean("size", DelayQueueOptionsCustomizer.class, () -> options -> options.maxPayload(7))
                .run(context -> {
                    DelayQueueOptions options =
                            context.getBean(DelayQueueClient.class).options();

                    assertThat(options.keyPrefix()).isEqualTo("dq:other");
                    assertThat(options.maxPayload()).isEqualTo(7);
                    assertThat(options.guardInterval()).isEqualTo(Duration.ofSeconds(1));
                });
    }

    @Test
    void ownClientKeepsPropertiesObserversAndCustomizers() {
        Received<String> accepted = new Received<>();
        Received<String> acked = new Received<>();
        runner.withUserConfiguration(OwnClient.class)
                .withBean("listener", Listener.class)
                .withBean(DelayQueueObserver.class, () -> new DelayQueueObserver() {
                    @Override
                    public void accepted(String topic, int count) {
                        accepted.add(topic);
                    }

                    @Override
                    public void acked(ReceivedMessage message) {
                        acked.add(message.topic());
                    }
                })
                .withBean(DelayQueueOptionsCustomizer.class, () -> options -> options.maxPayload(7))
                .withPropertyValues("delayqueue.guard-interval=1s")
                .run(context -> {
                    DelayQueueClient client = context.getBean(DelayQueueClient.class);
                    assertThat(client).isNotInstanceOf(RestartableDelayQueueClient.class);
                    assertThat(client.options().guardInterval()).isEqualTo(Duration.ofSeconds(1));
                    assertThat(client.options().maxPayload()).isEqualTo(7);
                    assertThat(client.options().keyPrefix()).as("its own").isEqualTo("dq:own");

                    context.getBean(DelayQueueOperations.class).schedule("work", "w", Duration.ZERO);

                    assertThat(context.getBean(Listener.class).received.first()).isEqualTo("w");
                    assertThat(accepted.first()).isEqualTo("work");
                    assertThat(acked.first()).isEqualTo("work");
                });
    }

    @Test
    void ownClientKeepsVirtualThreads() {
        assumeThat(Runtime.version().feature()).isGreaterThanOrEqualTo(21);
        runner.withUserConfiguration(OwnClient.class)
                .withBean("listener", Listener.class)
                .withPropertyValues("spring.threads.virtual.enabled=true")
                .run(context -> {
                    context.getBean(DelayQueueOperations.class).schedule("work", "w", Duration.ZERO);

                    assertThat(context.getBean(Listener.class).threads.first().toString())
                            .startsWith("VirtualThread");
                });
    }

    @Test
    void ownTemplateKeepsHeadersAndTransactions() {
        TransactionTemplate transaction = new TransactionTemplate(new NoResources());
        runner.withUserConfiguration(OwnTemplate.class)
                .withBean("listener", Listener.class)
                .withBean(HeaderContributor.class, () -> (topic, headers) -> {
                    headers.accept("tenant", "ann");
                    headers.accept("region", "of the application");
                })
                .withPropertyValues("delayqueue.transaction-aware=true")
                .run(context -> {
                    assertThat(context).hasSingleBean(DelayQueueOperations.class);
                    DelayQueueOperations template = context.getBean(DelayQueueOperations.class);
                    DelayQueueClient client = context.getBean(DelayQueueClient.class);

                    transaction.executeWithoutResult(status -> {
                        template.schedule("work", "rolled back", Duration.ZERO);
                        status.setRollbackOnly();
                    });
                    transaction.executeWithoutResult(status -> {
                        template.schedule("work", "committed", Duration.ZERO);
                        assertThat(client.stats("work").totals().accepted()).isZero();
                    });

                    Listener listener = context.getBean(Listener.class);
                    assertThat(listener.received.first()).isEqualTo("committed");
                    assertThat(listener.headers.first())
                            .containsEntry("tenant", "ann")
                            .containsEntry("region", "its own");
                });
    }

    @Test
    void shutdownTimeoutOfACustomizerReachesListeners() {
        runner.withBean("listener", Blocks.class)
                .withBean(
                        DelayQueueOptionsCustomizer.class,
                        () -> options -> options.shutdownTimeout(Duration.ofMillis(100)))
                .withPropertyValues("delayqueue.shutdown-timeout=1m")
                .run(context -> {
                    context.getBean(DelayQueueOperations.class).schedule("work", "w", Duration.ZERO);
                    Blocks listener = context.getBean(Blocks.class);
                    listener.begun.first();

                    long then = System.nanoTime();
                    context.getBean(DelayQueueListenerEndpointRegistry.class).unregister("listener.on");

                    assertThat(Duration.ofNanos(System.nanoTime() - then)).isLessThan(Duration.ofSeconds(30));
                    assertThat(listener.interrupted.await(1)).containsExactly("w");
                });
    }

    @Test
    void ownContainerFactoryKeepsPropertiesAndInterceptors() {
        Received<String> intercepted = new Received<>();
        Received<String> failed = new Received<>();
        runner.withUserConfiguration(OwnContainerFactory.class)
                .withBean("failed", Received.class, () -> failed)
                .withBean("listener", Fails.class)
                .withBean(DelayQueueInterceptor.class, () -> (message, delivery, next) -> {
                    intercepted.add(message.topic());
                    next.handle(message, delivery);
                })
                .withPropertyValues("delayqueue.listener.concurrency=3", "delayqueue.listener.lease=7s")
                .run(context -> {
                    var container = context.getBean(DelayQueueListenerEndpointRegistry.class)
                            .container("listener.on")
                            .orElseThrow();
                    assertThat(container.options().concurrency()).isEqualTo(3);
                    assertThat(container.options().lease()).isEqualTo(Duration.ofSeconds(7));

                    context.getBean(DelayQueueOperations.class).schedule("work", "w", Duration.ZERO);

                    assertThat(failed.first()).as("its own error handler").isEqualTo("failed on purpose");
                    assertThat(intercepted.all()).containsExactly("work");
                    await().untilAsserted(() -> assertThat(context.getBean(DelayQueueClient.class)
                                    .stats("work")
                                    .totals()
                                    .acked())
                            .isOne());
                });
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnClient {
        @Bean
        DelayQueueClient own(LettuceConnectionFactory factory, DelayQueueOptionsConfigurer configurer) {
            RedisClient redis = (RedisClient) factory.getRequiredNativeClient();
            return DelayQueueClient.create(
                    redis,
                    configurer
                            .configure(DelayQueueOptions.builder())
                            .keyPrefix("dq:own")
                            .build());
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnTemplate {
        @Bean
        DelayQueueTemplate own(
                DelayQueueClient client, PayloadConverter converter, DelayQueueTemplateConfigurer configurer) {
            HeaderContributor region = (topic, headers) -> headers.accept("region", "its own");
            return configurer.configure(new DelayQueueTemplate(client, converter, List.of(region)));
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnContainerFactory {
        @Bean
        DelayQueueListenerContainerFactory own(
                DelayQueueClient client,
                ListenerMethods methods,
                DelayQueueListenerContainerFactoryConfigurer configurer,
                Received<String> failed) {
            DelayQueueListenerContainerFactory factory = new DelayQueueListenerContainerFactory(client, methods);
            configurer.configure(factory);
            factory.setErrorHandler((message, failure, delivery) -> failed.add(failure.getMessage()));
            return factory;
        }
    }

    static class Listener {
        final Received<String> received = new Received<>();
        final Received<Map<String, Object>> headers = new Received<>();
        final Received<Thread> threads = new Received<>();

        @DelayQueueListener(topic = "work")
        void on(String work, MessageHeaders all) {
            headers.add(all);
            threads.add(Thread.currentThread());
            received.add(work);
        }
    }

    static class Blocks {
        final Received<String> begun = new Received<>();
        final Received<String> interrupted = new Received<>();

        @DelayQueueListener(topic = "work")
        void on(String work) throws InterruptedException {
            begun.add(work);
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException e) {
                interrupted.add(work);
                throw e;
            }
        }
    }

    static class Fails {
        @DelayQueueListener(topic = "work")
        void on(String work) {
            throw new IllegalStateException("failed on purpose");
        }
    }
}
