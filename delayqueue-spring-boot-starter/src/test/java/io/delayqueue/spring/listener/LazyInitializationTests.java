package io.delayqueue.spring.listener;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.spring.DelayQueueOperations;
import io.delayqueue.spring.annotation.DelayQueueListener;
import io.delayqueue.spring.autoconfigure.DelayQueueHealthContributorAutoConfiguration;
import io.delayqueue.spring.autoconfigure.DelayQueueMetricsAutoConfiguration;
import io.delayqueue.spring.health.DelayQueueHealthIndicator;
import io.delayqueue.spring.testsupport.Contexts;
import io.delayqueue.spring.testsupport.Received;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;

/** {@code spring.main.lazy-initialization=true}. */
@ExtendWith(EmbeddedRedisExtension.class)
class LazyInitializationTests {

    private ApplicationContextRunner runner = Contexts.runner();

    @BeforeEach
    void useRedis(EmbeddedRedis redis) {
        runner = Contexts.runner(redis)
                .withInitializer(context ->
                        context.addBeanFactoryPostProcessor(new LazyInitializationBeanFactoryPostProcessor()));
    }

    @Test
    void listenersConsumeAlthoughNobodyAsksForTheirBeans() {
        Received<String> received = new Received<>();
        runner.withBean("received", Received.class, () -> received)
                .withUserConfiguration(ListenerAndBystander.class)
                .run(context -> {
                    assertThat(context.getBeanFactory().containsSingleton("bystander"))
                            .as("another bean is created")
                            .isFalse();

                    context.getBean(DelayQueueOperations.class).schedule("work", "w", Duration.ZERO);

                    assertThat(received.first()).isEqualTo("w");
                });
    }

    @Test
    void allOfManyListenersConsume() {
        Received<String> received = new Received<>();
        int listeners = 30;
        ApplicationContextRunner many = runner;
        for (int i = 0; i < listeners; i++) {
            many = many.withBean("listener" + i, Listener.class, () -> new Listener(received))
                    .withPropertyValues("delayqueue.listener.concurrency=1");
        }
        many.run(context -> assertThat(context.getBean(DelayQueueListenerEndpointRegistry.class)
                        .containers())
                .hasSize(listeners)
                .allMatch(DelayQueueListenerContainer::isRunning)
                .extracting(DelayQueueListenerContainer::id)
                .containsAll(IntStream.range(0, listeners)
                        .mapToObj(i -> "listener" + i + ".on")
                        .toList()));
    }

    @Test
    void healthAndGaugesShowTheListeners() {
        runner.withConfiguration(AutoConfigurations.of(
                        DelayQueueHealthContributorAutoConfiguration.class, DelayQueueMetricsAutoConfiguration.class))
                .withBean(MeterRegistry.class, SimpleMeterRegistry::new)
                .withBean("listener", Listener.class, () -> new Listener(new Received<>()))
                .run(context -> {
                    var health =
                            context.getBean(DelayQueueHealthIndicator.class).health();

                    assertThat(health.getStatus()).isEqualTo(Status.UP);
                    assertThat(health.getDetails().toString()).contains("listeners={listener.on=running}");
                    assertThat(context.getBean(MeterRegistry.class)
                                    .find("delayqueue.messages")
                                    .tag("topic", "work")
                                    .gauges())
                            .isNotEmpty();
                });
    }

    @Test
    void listenerThatIsItselfLazyConsumesOnceItIsCreated() {
        Received<String> received = new Received<>();
        runner.withBean("received", Received.class, () -> received)
                .withUserConfiguration(LazyListener.class)
                .run(context -> {
                    context.getBean(DelayQueueOperations.class).schedule("work", "w", Duration.ZERO);
                    DelayQueueListenerEndpointRegistry registry =
                            context.getBean(DelayQueueListenerEndpointRegistry.class);
                    assertThat(registry.containers()).isEmpty();

                    context.getBean(Listener.class);

                    assertThat(received.first()).isEqualTo("w");
                });
    }

    @Configuration(proxyBeanMethods = false)
    static class ListenerAndBystander {
        @Bean
        Listener listener(Received<String> received) {
            return new Listener(received);
        }

        @Bean
        Object bystander() {
            return new Object();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class LazyListener {
        @Bean
        @Lazy
        Listener listener(Received<String> received) {
            return new Listener(received);
        }
    }

    static class Listener {
        private final Received<String> received;

        Listener(Received<String> received) {
            this.received = received;
        }

        @DelayQueueListener(topic = "work")
        void on(String work) {
            received.add(work);
        }
    }
}
