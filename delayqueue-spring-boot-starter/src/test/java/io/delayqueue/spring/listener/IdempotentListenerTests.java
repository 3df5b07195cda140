package io.delayqueue.spring.listener;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.MessageHandler;
import io.delayqueue.spring.DelayQueueOperations;
import io.delayqueue.spring.annotation.DelayQueueListener;
import io.delayqueue.spring.testsupport.Contexts;
import io.delayqueue.spring.testsupport.Received;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.core.annotation.Order;
import org.springframework.scheduling.annotation.Async;
import reactor.core.publisher.Mono;

/** Decorators of listeners, and the listeners that need one. */
@ExtendWith(EmbeddedRedisExtension.class)
class IdempotentListenerTests {

    private ApplicationContextRunner runner = Contexts.runner();

    @BeforeEach
    void useRedis(EmbeddedRedis redis) {
        runner = Contexts.runner(redis);
    }

    private ApplicationContextRunner supported() {
        return runner.withBean("inbox", Decorator.class, () -> new Decorator(true));
    }

    @Test
    void needsADecorator() {
        StartFailures.failsFor(runner, Idempotent.class, "idempotent", "Add delayqueue-jdbc and a DataSource");
    }

    @Test
    void needsADecoratorThatSupportsIt() {
        StartFailures.failsFor(
                runner.withBean(Decorator.class, () -> new Decorator(false)),
                Idempotent.class,
                "idempotent",
                "Add delayqueue-jdbc and a DataSource");
        supported()
                .withBean(Idempotent.class)
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void asynchronousMethodsAreRefused() {
        StartFailures.failsFor(supported(), ReturnsStage.class, "idempotent", "Return void, and wait for results");
        StartFailures.failsFor(supported(), ReturnsMono.class, "idempotent", "returns reactor.core.publisher.Mono");
        StartFailures.failsFor(supported(), AsyncFuture.class, "idempotent", "Remove @Async");
        StartFailures.failsFor(supported(), AsyncVoid.class, "idempotent", "Remove @Async");
    }

    @Test
    void soAreHandlersThatAreRegisteredByProgram() {
        DelayQueueListenerEndpoint async = DelayQueueListenerEndpoint.forHandler(
                        "mine",
                        "work",
                        MessageHandler.async((message, delivery) -> CompletableFuture.completedFuture(null)))
                .withIdempotent(true);
        DelayQueueListenerEndpoint plain = DelayQueueListenerEndpoint.forHandler(
                        "mine", "work", (message, delivery) -> {})
                .withIdempotent(true);

        runner.run(context -> assertThatExceptionOfType(InvalidListenerException.class)
                .isThrownBy(() -> register(context, plain))
                .withMessageContainingAll("'mine'", "idempotent", "delayqueue-jdbc"));
        supported().run(context -> {
            assertThatExceptionOfType(InvalidListenerException.class)
                    .isThrownBy(() -> register(context, async))
                    .withMessageContaining("AsyncMessageHandler");
            assertThat(register(context, plain).endpoint().idempotent()).isTrue();
        });
    }

    private static DelayQueueListenerContainer register(
            ApplicationContext context, DelayQueueListenerEndpoint endpoint) {
        return context.getBean(DelayQueueListenerEndpointRegistry.class)
                .register(endpoint, context.getBean(DelayQueueListenerContainerFactory.class));
    }

    @Test
    void decoratorsAreCalledInOrderAroundTheMethodAndInsideInterceptors() {
        Received<String> calls = new Received<>();
        supported()
                .withBean("second", ListenerDecorator.class, () -> new Second(calls))
                .withBean("first", ListenerDecorator.class, () -> new First(calls))
                .withBean(DelayQueueInterceptor.class, () -> noting(calls, "interceptor"))
                .withBean(Idempotent.class, () -> new Idempotent(calls))
                .run(context -> {
                    context.getBean(DelayQueueOperations.class).schedule("work", "w", Duration.ZERO);

                    assertThat(calls.await(4)).containsExactly("interceptor", "first of mine", "second", "method");
                    assertThat(context.getBean(Decorator.class).endpoint.id()).isEqualTo("mine");
                });
    }

    @Test
    void aFailingDecoratorGetsAnotherAttemptThoughRetryForDoesNotNameIt() {
        runner.withBean(
                        ListenerDecorator.class,
                        () -> endpoint -> Optional.of((message, delivery, next) -> {
                            next.handle(message, delivery);
                            if (message.attempt() == 1) {
                                throw new IllegalStateException("the database is away");
                            }
                        }))
                .withBean("listener", RetriesIo.class)
                .run(context -> {
                    context.getBean(DelayQueueOperations.class).schedule("work", "fine", Duration.ZERO);
                    DelayQueueClient client = context.getBean(DelayQueueClient.class);
                    await().until(() -> client.stats("work").totals().acked() == 1);
                    assertThat(client.stats("work").totals().retried()).isOne();

                    // the method's own failure is judged all the same
                    context.getBean(DelayQueueOperations.class).schedule("work", "fail", Duration.ZERO);
                    await().until(() -> client.stats("work").dead() == 1);
                    assertThat(client.stats("work").totals().retried()).isOne();
                });
    }

    private static DelayQueueInterceptor noting(Received<String> calls, String name) {
        return (message, delivery, next) -> {
            calls.add(name);
            next.handle(message, delivery);
        };
    }

    /** Adds nothing, and notes what it was asked for. */
    static final class Decorator implements ListenerDecorator {

        private final boolean supportsIdempotent;
        private volatile DelayQueueListenerEndpoint endpoint;

        Decorator(boolean supportsIdempotent) {
            this.supportsIdempotent = supportsIdempotent;
        }

        @Override
        public Optional<DelayQueueInterceptor> interceptorFor(DelayQueueListenerEndpoint endpoint) {
            this.endpoint = endpoint;
            return Optional.empty();
        }

        @Override
        public boolean supportsIdempotent() {
            return supportsIdempotent;
        }
    }

    @Order(1)
    record First(Received<String> calls) implements ListenerDecorator {
        @Override
        public Optional<DelayQueueInterceptor> interceptorFor(DelayQueueListenerEndpoint endpoint) {
            return Optional.of(noting(calls, "first of " + endpoint.id()));
        }
    }

    @Order(2)
    record Second(Received<String> calls) implements ListenerDecorator {
        @Override
        public Optional<DelayQueueInterceptor> interceptorFor(DelayQueueListenerEndpoint endpoint) {
            return Optional.of(noting(calls, "second"));
        }
    }

    static class Idempotent {

        private final Received<String> calls;

        Idempotent() {
            this(new Received<>());
        }

        Idempotent(Received<String> calls) {
            this.calls = calls;
        }

        @DelayQueueListener(id = "mine", topic = "work", idempotent = true)
        void on(String work) {
            calls.add("method");
        }
    }

    static class RetriesIo {
        @DelayQueueListener(topic = "work", retryFor = IOException.class)
        void on(String work) {
            if (work.contains("fail")) {
                throw new IllegalArgumentException();
            }
        }
    }

    static class ReturnsStage {
        @DelayQueueListener(topic = "work", idempotent = true)
        CompletionStage<Void> on(String work) {
            return CompletableFuture.completedFuture(null);
        }
    }

    static class ReturnsMono {
        @DelayQueueListener(topic = "work", idempotent = true)
        Mono<Void> on(String work) {
            return Mono.empty();
        }
    }

    static class AsyncFuture {
        @Async
        @DelayQueueListener(topic = "work", idempotent = true)
        CompletableFuture<Void> on(String work) {
            return CompletableFuture.completedFuture(null);
        }
    }

    static class AsyncVoid {
        @Async
        @DelayQueueListener(topic = "work", idempotent = true)
        void on(String work) {}
    }
}
