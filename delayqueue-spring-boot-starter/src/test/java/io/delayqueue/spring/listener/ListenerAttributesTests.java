package io.delayqueue.spring.listener;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.Backoff;
import io.delayqueue.ConsumerOptions;
import io.delayqueue.spring.DelayQueueOperations;
import io.delayqueue.spring.annotation.DelayQueueListener;
import io.delayqueue.spring.annotation.RetryBackoff;
import io.delayqueue.spring.testsupport.Contexts;
import io.delayqueue.spring.testsupport.Received;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.annotation.AliasFor;

/** Attributes of the annotation, properties and defaults. */
@ExtendWith(EmbeddedRedisExtension.class)
class ListenerAttributesTests {

    private ApplicationContextRunner runner = Contexts.runner();

    @BeforeEach
    void useRedis(EmbeddedRedis redis) {
        runner = Contexts.runner(redis);
    }

    @Test
    void attributesOverrideTheProperties() {
        runner.withBean("orders", AllAttributes.class).run(context -> {
            DelayQueueListenerContainer container = container(context, "closer");

            assertThat(container.topic()).isEqualTo("order-timeout");
            assertThat(container.isAutoStartup()).isFalse();
            assertThat(container.isRunning()).isFalse();
            assertThat(container.options().concurrency()).isEqualTo(4);
            assertThat(container.options().lease()).isEqualTo(Duration.ofSeconds(90));
            assertThat(container.options().timeout()).isEqualTo(Duration.ofMinutes(5));
            assertThat(container.options().maxAttempts()).isEqualTo(8);
            assertThat(container.options().backoff())
                    .isEqualTo(Backoff.exponential(Duration.ofSeconds(2), 3, Duration.ofHours(1), 0.5));
        });
    }

    @Test
    void propertiesApplyToAttributesThatAreNotSet() {
        runner.withBean("orders", NoAttributes.class)
                .withPropertyValues(
                        "delayqueue.listener.concurrency=7",
                        "delayqueue.listener.lease=3s",
                        "delayqueue.listener.timeout=4s",
                        "delayqueue.listener.max-attempts=5",
                        "delayqueue.listener.backoff.delays=1s,2s",
                        "delayqueue.listener.auto-startup=false")
                .run(context -> {
                    DelayQueueListenerContainer container = container(context, "orders.on");

                    assertThat(container.isRunning()).isFalse();
                    assertThat(container.options().concurrency()).isEqualTo(7);
                    assertThat(container.options().lease()).isEqualTo(Duration.ofSeconds(3));
                    assertThat(container.options().timeout()).isEqualTo(Duration.ofSeconds(4));
                    assertThat(container.options().maxAttempts()).isEqualTo(5);
                    assertThat(container.options().backoff())
                            .isEqualTo(Backoff.delays(List.of(Duration.ofSeconds(1), Duration.ofSeconds(2))));
                });
    }

    @Test
    void coreDefaultsApplyWithoutAttributesAndProperties(EmbeddedRedis redis) {
        Contexts.runner(redis)
                .withBean("orders", NoAttributes.class)
                .withPropertyValues("delayqueue.listener.backoff.initial=1s", "delayqueue.listener.backoff.jitter=0.1")
                .run(context -> {
                    ConsumerOptions options = container(context, "orders.on").options();

                    assertThat(options.concurrency()).isEqualTo(ConsumerOptions.DEFAULT_CONCURRENCY);
                    assertThat(options.lease()).isEqualTo(ConsumerOptions.DEFAULT_LEASE);
                    assertThat(options.timeout()).isNull();
                    assertThat(options.maxAttempts()).isEqualTo(ConsumerOptions.DEFAULT_MAX_ATTEMPTS);
                    assertThat(options.backoff()).isEqualTo(ConsumerOptions.DEFAULT_BACKOFF);
                });
    }

    @Test
    void timeoutOfAllListenersCanBeSwitchedOffForOne() {
        runner.withBean("orders", NoTimeout.class)
                .withPropertyValues("delayqueue.listener.timeout=4s", "by-placeholder=none")
                .run(context -> assertThat(registry(context).containers())
                        .hasSize(4)
                        .allSatisfy(container -> assertThat(container.options().timeout())
                                .isEqualTo(container.topic().equals("default") ? Duration.ofSeconds(4) : null)));
    }

    @Test
    void timeoutOfZeroIsNoneForAllListeners() {
        runner.withBean("orders", NoAttributes.class)
                .withPropertyValues("delayqueue.listener.timeout=0")
                .run(context -> assertThat(
                                container(context, "orders.on").options().timeout())
                        .isNull());
    }

    @Test
    void placeholdersAndSpelAreResolvedInEveryString() {
        runner.withBean("orders", Expressions.class)
                .withBean("limits", Limits.class)
                .withPropertyValues(
                        "topic.name=order-timeout", "lease=PT45S", "attempts=6", "steps=100ms, 1s,1m", "start=false")
                .run(context -> {
                    DelayQueueListenerContainer container = container(context, "of-order-timeout");

                    assertThat(container.topic()).isEqualTo("eu-order-timeout");
                    assertThat(container.isAutoStartup()).isFalse();
                    assertThat(container.options().concurrency()).isEqualTo(12);
                    assertThat(container.options().lease()).isEqualTo(Duration.ofSeconds(45));
                    assertThat(container.options().timeout()).isEqualTo(Duration.ofSeconds(90));
                    assertThat(container.options().maxAttempts()).isEqualTo(6);
                    assertThat(container.options().backoff())
                            .isEqualTo(Backoff.delays(
                                    List.of(Duration.ofMillis(100), Duration.ofSeconds(1), Duration.ofMinutes(1))));
                });
    }

    @Test
    void propertiesCompleteAPartialBackoff() {
        runner.withBean("orders", PartOfBackoff.class)
                .withPropertyValues("delayqueue.listener.backoff.max=2m", "delayqueue.listener.backoff.multiplier=4")
                .run(context -> assertThat(
                                container(context, "orders.on").options().backoff())
                        .isEqualTo(Backoff.exponential(Duration.ofSeconds(30), 4, Duration.ofMinutes(2), 0)));
    }

    @Test
    void repeatedAnnotationConsumesEachTopic() {
        runner.withBean("orders", Repeated.class).run(context -> {
            DelayQueueOperations template = context.getBean(DelayQueueOperations.class);
            template.schedule("eu", "from eu", Duration.ZERO);
            template.schedule("us", "from us", Duration.ZERO);

            assertThat(context.getBean(Repeated.class).received.await(2))
                    .containsExactlyInAnyOrder("from eu", "from us");
            assertThat(registry(context).containers())
                    .extracting(DelayQueueListenerContainer::id)
                    .containsExactlyInAnyOrder("orders.on", "orders.on#2");
        });
    }

    @Test
    void annotationWorksAsAMetaAnnotation() {
        runner.withBean("orders", Composed.class).run(context -> {
            context.getBean(DelayQueueOperations.class).schedule("parcels", "p", Duration.ZERO);

            assertThat(context.getBean(Composed.class).received.first()).isEqualTo("p");
            assertThat(container(context, "orders.on").options().concurrency()).isEqualTo(2);
        });
    }

    @Test
    void defaultIdsAreUnique() {
        runner.withBean("one", NoAttributes.class)
                .withBean("two", NoAttributes.class)
                .run(context -> assertThat(registry(context).containers())
                        .extracting(DelayQueueListenerContainer::id)
                        .containsExactlyInAnyOrder("one.on", "two.on"));
    }

    private static DelayQueueListenerEndpointRegistry registry(AssertableApplicationContext context) {
        return context.getBean(DelayQueueListenerEndpointRegistry.class);
    }

    private static DelayQueueListenerContainer container(AssertableApplicationContext context, String id) {
        return registry(context).container(id).orElseThrow();
    }

    static class AllAttributes {
        @DelayQueueListener(
                topic = "order-timeout",
                id = "closer",
                concurrency = "4",
                lease = "90s",
                timeout = "5m",
                maxAttempts = "8",
                backoff = @RetryBackoff(initial = "2s", multiplier = "3", max = "1h", jitter = "0.5"),
                autoStartup = "false")
        void on(String order) {}
    }

    static class NoTimeout {
        @DelayQueueListener(topic = "zero", timeout = "0")
        @DelayQueueListener(topic = "none", timeout = "none")
        @DelayQueueListener(topic = "placeholder", timeout = "${by-placeholder}")
        @DelayQueueListener(topic = "default")
        void on(String work) {}
    }

    static class NoAttributes {
        @DelayQueueListener(topic = "order-timeout")
        void on(String order) {}
    }

    static class Limits {
        public int getConcurrency() {
            return 12;
        }

        public Duration getTimeout() {
            return Duration.ofSeconds(90);
        }
    }

    static class Expressions {
        @DelayQueueListener(
                topic = "#{'eu-' + '${topic.name}'}",
                id = "of-${topic.name}",
                concurrency = "#{@limits.concurrency}",
                lease = "${lease}",
                timeout = "#{@limits.timeout}",
                maxAttempts = "${attempts:3}",
                backoff = @RetryBackoff(delays = "${steps}"),
                autoStartup = "${start}")
        void on(String order) {}
    }

    static class PartOfBackoff {
        @DelayQueueListener(topic = "order-timeout", backoff = @RetryBackoff(initial = "30s"))
        void on(String order) {}
    }

    static class Repeated {
        final Received<String> received = new Received<>();

        @DelayQueueListener(topic = "eu")
        @DelayQueueListener(topic = "us")
        void on(String order) {
            received.add(order);
        }
    }

    @Retention(RetentionPolicy.RUNTIME)
    @DelayQueueListener(concurrency = "2")
    @interface ParcelListener {

        @AliasFor(annotation = DelayQueueListener.class, attribute = "topic")
        String value();
    }

    static class Composed {
        final Received<String> received = new Received<>();

        @ParcelListener("parcels")
        void on(String parcel) {
            received.add(parcel);
        }
    }
}
