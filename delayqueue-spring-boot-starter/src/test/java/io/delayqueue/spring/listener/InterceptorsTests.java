package io.delayqueue.spring.listener;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.ReceivedMessage;
import io.delayqueue.spring.DelayQueueOperations;
import io.delayqueue.spring.annotation.DelayQueueListener;
import io.delayqueue.spring.testsupport.Contexts;
import io.delayqueue.spring.testsupport.Received;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;

/** Calls of interceptors and their order. */
@ExtendWith(EmbeddedRedisExtension.class)
class InterceptorsTests {

    private ApplicationContextRunner runner = Contexts.runner();

    @BeforeEach
    void useRedis(EmbeddedRedis redis) {
        runner = Contexts.runner(redis).withBean(Listener.class);
    }

    @Test
    void interceptorsAreCalledInOrderTheFirstOneOutermost() {
        runner.withUserConfiguration(TwoInterceptors.class).run(context -> {
            context.getBean(DelayQueueOperations.class).schedule("work", "w", Duration.ZERO);

            Received<String> steps = context.getBean(Listener.class).steps;
            assertThat(steps.await(5))
                    .containsExactly("before first", "before second", "w", "after second", "after first");
        });
    }

    @Test
    void messageIsAckedIfAnInterceptorReturnsWithoutCallingTheNext() {
        runner.withBean(DelayQueueInterceptor.class, () -> (message, delivery, next) -> {})
                .run(context -> {
                    context.getBean(DelayQueueOperations.class).schedule("work", "w", Duration.ZERO);

                    await().untilAsserted(() -> assertThat(context.getBean(DelayQueueClient.class)
                                    .stats("work")
                                    .totals()
                                    .acked())
                            .isOne());
                    assertThat(context.getBean(Listener.class).steps.all()).isEmpty();
                });
    }

    @Test
    void interceptorMayPassOnAChangedMessage() {
        runner.withBean(
                        DelayQueueInterceptor.class,
                        () -> (message, delivery, next) -> next.handle(withPayload(message, "decrypted"), delivery))
                .run(context -> {
                    context.getBean(DelayQueueOperations.class).schedule("work", "secret", Duration.ZERO);

                    assertThat(context.getBean(Listener.class).steps.first()).isEqualTo("decrypted");
                });
    }

    @Test
    void exceptionOfAnInterceptorFailsTheAttempt() {
        runner.withPropertyValues("delayqueue.listener.max-attempts=1")
                .withBean(DelayQueueInterceptor.class, () -> (message, delivery, next) -> {
                    throw new SecurityException("not today");
                })
                .run(context -> {
                    context.getBean(DelayQueueOperations.class).schedule("work", "w", Duration.ZERO);

                    DelayQueueClient client = context.getBean(DelayQueueClient.class);
                    await().until(() -> client.stats("work").dead() == 1);
                    assertThat(client.deadLetters("work").list(0, 1).get(0).error())
                            .contains("not today");
                });
    }

    private static ReceivedMessage withPayload(ReceivedMessage message, String payload) {
        return message.toBuilder()
                .payload(payload.getBytes(StandardCharsets.UTF_8))
                .build();
    }

    static class Listener {
        final Received<String> steps = new Received<>();

        @DelayQueueListener(topic = "work")
        void on(String work) {
            steps.add(work);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class TwoInterceptors {

        @Bean
        @Order(2)
        DelayQueueInterceptor second(Listener listener) {
            return stepping(listener, "second");
        }

        @Bean
        @Order(1)
        DelayQueueInterceptor first(Listener listener) {
            return stepping(listener, "first");
        }

        private static DelayQueueInterceptor stepping(Listener listener, String name) {
            return (message, delivery, next) -> {
                listener.steps.add("before " + name);
                next.handle(message, delivery);
                listener.steps.add("after " + name);
            };
        }
    }
}
