package io.delayqueue.spring.listener;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.DeadLetter;
import io.delayqueue.DelayQueueClient;
import io.delayqueue.TopicStats;
import io.delayqueue.spring.DelayQueueMessage;
import io.delayqueue.spring.DelayQueueOperations;
import io.delayqueue.spring.annotation.DelayQueueListener;
import io.delayqueue.spring.testsupport.Contexts;
import io.delayqueue.spring.testsupport.OrderPlaced;
import io.delayqueue.spring.testsupport.Received;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import jakarta.validation.Valid;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.messaging.Message;
import org.springframework.messaging.handler.annotation.Header;
import org.springframework.validation.annotation.Validated;

/** Messages whose listener fails or can't be called. */
@ExtendWith(EmbeddedRedisExtension.class)
class FailingListenersTests {

    private ApplicationContextRunner runner = Contexts.runner();

    @BeforeEach
    void useRedis(EmbeddedRedis redis) {
        runner = Contexts.runner(redis);
    }

    @Test
    void failedMessageIsRetriedUntilItsLastAttempt() {
        runner.withBean(Fails.class).run(context -> {
            schedule(context, "w");

            assertThat(deadLetter(context).attempts()).isEqualTo(3);
            assertThat(context.getBean(Fails.class).attempts.all()).containsExactly(1, 2, 3);
        });
    }

    @Test
    void undecodablePayloadIsDeadLetteredAtOnceAndDoesNotStopItsNeighbours() {
        runner.withBean(TakesOrders.class).run(context -> {
            schedule(context, new OrderPlaced(1, "a"));
            schedule(context, "{no json");
            schedule(context, new OrderPlaced(2, "b"));

            DeadLetter dead = deadLetter(context);
            assertThat(dead.attempts()).isOne();
            assertThat(dead.error())
                    .contains(
                            "UnprocessableMessageException", "can't read 8 bytes as", "OrderPlaced", "TakesOrders.on");
            assertThat(context.getBean(TakesOrders.class).received.await(2))
                    .extracting(OrderPlaced::number)
                    .containsExactlyInAnyOrder(1, 2);
        });
    }

    @Test
    void jsonNullIsNoPayload() {
        runner.withBean(TakesOrders.class).run(context -> {
            schedule(context, "null");

            assertThat(deadLetter(context).error()).contains("JSON null");
        });
    }

    @Test
    void missingRequiredHeaderIsDeadLetteredAtOnce() {
        runner.withBean(NeedsHeader.class).run(context -> {
            schedule(context, "w");

            DeadLetter dead = deadLetter(context);
            assertThat(dead.attempts()).isOne();
            assertThat(dead.error()).contains("Missing header 'tenant'");
        });
    }

    @Test
    void invalidPayloadIsDeadLetteredAtOnceWithTheViolations() {
        for (Class<?> listener : List.of(Validates.class, ValidatesMessage.class, ValidatesSpringMessage.class)) {
            runner.withBean(listener)
                    .withPropertyValues("delayqueue.key-prefix=dq:" + listener.getSimpleName())
                    .run(context -> {
                        schedule(context, new OrderPlaced(-1, "a"));

                        DeadLetter dead = deadLetter(context);
                        assertThat(dead.attempts()).isOne();
                        assertThat(dead.error()).contains("not valid, number must be greater than 0");
                    });
        }
    }

    @Test
    void validPayloadPassesValidation() {
        runner.withBean(Validates.class).run(context -> {
            schedule(context, new OrderPlaced(1, "a"));

            await().untilAsserted(
                            () -> assertThat(stats(context).totals().acked()).isOne());
        });
    }

    @Test
    void onlyFailuresOfRetryForAreRetried() {
        runner.withBean(RetriesIo.class).run(context -> {
            schedule(context, "io");
            await().until(() -> stats(context).dead() == 1);
            assertThat(context.getBean(RetriesIo.class).attempts.all()).containsExactly(1, 2, 3);

            schedule(context, "state");
            await().until(() -> stats(context).dead() == 2);
            assertThat(context.getBean(RetriesIo.class).attempts.all()).containsExactly(1, 2, 3, 1);
        });
    }

    @Test
    void failuresOfNoRetryForAreNotRetriedEvenAsACause() {
        runner.withBean(DoesNotRetryIo.class).run(context -> {
            schedule(context, "io");

            assertThat(deadLetter(context).attempts()).isOne();
        });
    }

    @Test
    void messageIsAckedIfTheErrorHandlerReturns() {
        Received<String> handled = new Received<>();
        runner.withBean(Fails.class)
                .withBean(
                        ListenerErrorHandler.class,
                        () -> (message, failure, delivery) ->
                                handled.add(message.topic() + ": " + failure.getMessage()))
                .run(context -> {
                    schedule(context, "w");

                    await().untilAsserted(() ->
                            assertThat(stats(context).totals().acked()).isOne());
                    assertThat(handled.all()).containsExactly("work: failed on purpose");
                });
    }

    @Test
    void errorHandlerCanRetryLaterOrDeadLetter() {
        runner.withBean(Fails.class)
                .withBean(ListenerErrorHandler.class, () -> (message, failure, delivery) -> {
                    if (message.attempt() == 1) {
                        delivery.retryAfter(Duration.ofMillis(10));
                    } else {
                        delivery.deadLetter("enough");
                    }
                })
                .run(context -> {
                    schedule(context, "w");

                    DeadLetter dead = deadLetter(context);
                    assertThat(dead.attempts()).isEqualTo(2);
                    assertThat(dead.error()).startsWith("enough");
                });
    }

    @Test
    void errorHandlerSeesUnprocessableMessagesToo() {
        runner.withBean(TakesOrders.class)
                .withBean(ListenerErrorHandler.class, () -> (message, failure, delivery) -> {
                    if (!(failure instanceof UnprocessableMessageException)) {
                        throw failure;
                    }
                })
                .run(context -> {
                    schedule(context, "{no json");

                    await().untilAsserted(() ->
                            assertThat(stats(context).totals().acked()).isOne());
                });
    }

    @Test
    void errorsCountAsFailuresWithoutTheErrorHandler() {
        runner.withBean(ThrowsError.class)
                .withBean(ListenerErrorHandler.class, () -> (message, failure, delivery) -> {})
                .run(context -> {
                    schedule(context, "w");

                    assertThat(deadLetter(context).error()).contains("AssertionError: broken");
                });
    }

    private static void schedule(AssertableApplicationContext context, Object payload) {
        context.getBean(DelayQueueOperations.class).schedule("work", payload, Duration.ZERO);
    }

    private static TopicStats stats(AssertableApplicationContext context) {
        return context.getBean(DelayQueueClient.class).stats("work");
    }

    private static DeadLetter deadLetter(AssertableApplicationContext context) {
        await().until(() -> stats(context).dead() == 1);
        return context.getBean(DelayQueueClient.class)
                .deadLetters("work")
                .list(0, 1)
                .get(0);
    }

    static class Fails {
        final Received<Integer> attempts = new Received<>();

        @DelayQueueListener(topic = "work")
        void on(DelayQueueMessage<String> message) {
            attempts.add(message.attempt());
            throw new IllegalStateException("failed on purpose");
        }
    }

    static class TakesOrders {
        final Received<OrderPlaced> received = new Received<>();

        @DelayQueueListener(topic = "work")
        void on(OrderPlaced order) {
            received.add(order);
        }
    }

    static class NeedsHeader {
        @DelayQueueListener(topic = "work")
        void on(@Header("tenant") String tenant) {}
    }

    static class Validates {
        @DelayQueueListener(topic = "work")
        void on(@Valid OrderPlaced order) {}
    }

    static class ValidatesMessage {
        @DelayQueueListener(topic = "work")
        void on(@Validated DelayQueueMessage<OrderPlaced> order) {}
    }

    static class ValidatesSpringMessage {
        @DelayQueueListener(topic = "work")
        void on(@Valid Message<OrderPlaced> order) {}
    }

    static class RetriesIo {
        final Received<Integer> attempts = new Received<>();

        @DelayQueueListener(topic = "work", retryFor = IOException.class)
        void on(DelayQueueMessage<String> message) {
            attempts.add(message.attempt());
            if (message.payload().equals("io")) {
                throw new UncheckedIOException(new IOException("no route"));
            }
            throw new IllegalStateException("failed on purpose");
        }
    }

    static class DoesNotRetryIo {
        @DelayQueueListener(topic = "work", noRetryFor = IOException.class)
        void on(String work) {
            throw new UncheckedIOException(new IOException("no route"));
        }
    }

    static class ThrowsError {
        @DelayQueueListener(topic = "work", maxAttempts = "2")
        void on(String work) {
            throw new AssertionError("broken");
        }
    }
}
