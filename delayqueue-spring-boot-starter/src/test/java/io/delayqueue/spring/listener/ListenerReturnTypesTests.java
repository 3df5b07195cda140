package io.delayqueue.spring.listener;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.DeadLetter;
import io.delayqueue.DelayQueueClient;
import io.delayqueue.MessageState;
import io.delayqueue.spring.DelayQueueOperations;
import io.delayqueue.spring.annotation.DelayQueueListener;
import io.delayqueue.spring.testsupport.Contexts;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import reactor.core.publisher.Mono;

/** Accepted return types of a listener; asynchronous ones are waited for. */
@ExtendWith(EmbeddedRedisExtension.class)
class ListenerReturnTypesTests {

    private ApplicationContextRunner runner = Contexts.runner();

    @BeforeEach
    void useRedis(EmbeddedRedis redis) {
        runner = Contexts.runner(redis).withPropertyValues("delayqueue.listener.max-attempts=1");
    }

    @Test
    void messageIsAckedOnlyWhenTheStageCompletes() {
        runner.withBean(ReturnsStage.class).run(context -> staysInFlightUntil(context, ReturnsStage.class));
    }

    @Test
    void messageIsAckedOnlyWhenTheMonoCompletes() {
        runner.withBean(ReturnsMono.class).run(context -> staysInFlightUntil(context, ReturnsMono.class));
    }

    @Test
    void emptyMonoIsSuccess() {
        runner.withBean(ReturnsEmptyMono.class).run(context -> {
            context.getBean(DelayQueueOperations.class).schedule("work", "w", Duration.ZERO);

            await().untilAsserted(() -> assertThat(context.getBean(DelayQueueClient.class)
                            .stats("work")
                            .totals()
                            .acked())
                    .isOne());
        });
    }

    @Test
    void failedStageFailsTheAttemptWithItsCause() {
        runner.withBean(ReturnsStage.class).run(context -> {
            context.getBean(DelayQueueOperations.class).schedule("work", "w", Duration.ZERO);
            context.getBean(ReturnsStage.class).result.completeExceptionally(new IllegalStateException("shop closed"));

            assertThat(deadLetter(context).error()).startsWith("java.lang.IllegalStateException: shop closed");
        });
    }

    @Test
    void failedMonoFailsTheAttemptWithItsCause() {
        runner.withBean(ReturnsMono.class).run(context -> {
            context.getBean(DelayQueueOperations.class).schedule("work", "w", Duration.ZERO);
            context.getBean(ReturnsMono.class).result.completeExceptionally(new IllegalStateException("shop closed"));

            assertThat(deadLetter(context).error()).startsWith("java.lang.IllegalStateException: shop closed");
        });
    }

    @Test
    void stageThatNeverCompletesIsCancelledByTheTimeout() {
        runner.withBean(ReturnsStage.class)
                .withPropertyValues("delayqueue.listener.timeout=100ms")
                .run(context -> {
                    context.getBean(DelayQueueOperations.class).schedule("work", "w", Duration.ZERO);

                    assertThat(deadLetter(context).error()).contains("longer than PT0.1S");
                    await().untilAsserted(() -> assertThat(context.getBean(ReturnsStage.class).result)
                            .isCancelled());
                });
    }

    private static void staysInFlightUntil(AssertableApplicationContext context, Class<? extends Pending> listener) {
        DelayQueueOperations template = context.getBean(DelayQueueOperations.class);
        String id = template.schedule("work", "w", Duration.ZERO);
        await().until(() -> context.getBean(listener).called);

        assertThat(template.find("work", id))
                .hasValueSatisfying(message -> assertThat(message.state()).isEqualTo(MessageState.IN_FLIGHT));

        context.getBean(listener).result.complete("ignored");
        await().untilAsserted(() -> assertThat(template.find("work", id)).isEmpty());
    }

    private static DeadLetter deadLetter(AssertableApplicationContext context) {
        DelayQueueClient client = context.getBean(DelayQueueClient.class);
        await().until(() -> client.stats("work").dead() == 1);
        return client.deadLetters("work").list(0, 1).get(0);
    }

    abstract static class Pending {
        final CompletableFuture<Object> result = new CompletableFuture<>();
        volatile boolean called;
    }

    static class ReturnsStage extends Pending {
        @DelayQueueListener(topic = "work")
        CompletionStage<Object> on(String work) {
            called = true;
            return result;
        }
    }

    static class ReturnsMono extends Pending {
        @DelayQueueListener(topic = "work")
        Mono<Object> on(String work) {
            called = true;
            return Mono.fromFuture(result);
        }
    }

    static class ReturnsEmptyMono {
        @DelayQueueListener(topic = "work")
        Mono<Void> on(String work) {
            return Mono.empty();
        }
    }
}
