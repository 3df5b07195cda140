package io.delayqueue.spring.listener;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.Backoff;
import io.delayqueue.DelayQueueClient;
import io.delayqueue.MessageHandler;
import io.delayqueue.spring.DelayQueueOperations;
import io.delayqueue.spring.autoconfigure.DelayQueueMetricsAutoConfiguration;
import io.delayqueue.spring.testsupport.OrderPlaced;
import io.delayqueue.spring.testsupport.Received;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.AutoConfigurations;

/** Listeners that a program registers and unregisters. */
class RegisteredListenersTests extends RegisteredListenersFixture {

    @Test
    void handlerConsumesFromItsRegistrationToItsEnd() {
        runner.run(context -> {
            DelayQueueListenerEndpointRegistry registry = registry(context);
            DelayQueueListenerContainer container = registry.register(handler("mine"), factory(context));
            schedule(context, "first");
            assertThat(received.first()).isEqualTo("first");
            assertThat(registry.container("mine")).containsSame(container);

            assertThat(registry.unregister("mine")).isTrue();
            assertThat(registry.unregister("mine")).isFalse();
            assertThat(container.isRunning()).isFalse();
            schedule(context, "second");
            await().during(Duration.ofMillis(300)).until(() -> received.all().size() == 1);

            registry.register(handler("mine"), factory(context));
            assertThat(received.await(2)).containsExactly("first", "second");
        });
    }

    @Test
    void methodIsCalledWithItsPayloadConverted() throws Exception {
        TakesOrders bean = new TakesOrders();
        DelayQueueListenerEndpoint endpoint = DelayQueueListenerEndpoint.forMethod(
                "orders", "work", bean, TakesOrders.class.getDeclaredMethod("on", OrderPlaced.class));
        runner.run(context -> {
            registry(context).register(endpoint, factory(context));
            context.getBean(DelayQueueOperations.class).schedule("work", new OrderPlaced(7, "ann"), Duration.ZERO);

            assertThat(bean.received.first().number()).isEqualTo(7);
        });
    }

    @Test
    void propertiesInterceptorsAndErrorHandlerApply() {
        Received<String> intercepted = new Received<>();
        Received<String> failed = new Received<>();
        runner.withPropertyValues("delayqueue.listener.concurrency=3")
                .withBean(DelayQueueInterceptor.class, () -> (message, delivery, next) -> {
                    intercepted.add(message.id());
                    next.handle(message, delivery);
                })
                .withBean(
                        ListenerErrorHandler.class,
                        () -> (message, failure, delivery) -> failed.add(failure.getMessage()))
                .run(context -> {
                    DelayQueueListenerEndpoint endpoint =
                            DelayQueueListenerEndpoint.forHandler("mine", "work", (message, delivery) -> {
                                throw new IllegalStateException("failed on purpose");
                            });
                    DelayQueueListenerContainer container = registry(context).register(endpoint, factory(context));
                    schedule(context, "w");

                    assertThat(failed.first()).isEqualTo("failed on purpose");
                    assertThat(intercepted.all()).hasSize(1);
                    assertThat(container.options().concurrency()).isEqualTo(3);
                });
    }

    @Test
    void itsOwnSettingsTakePrecedence() {
        runner.withPropertyValues("delayqueue.listener.concurrency=3").run(context -> {
            ListenerSettings settings = ListenerSettings.builder()
                    .concurrency(5)
                    .backoff(BackoffSettings.ofDelays(Duration.ofMillis(10), Duration.ofMillis(20)))
                    .autoStartup(false)
                    .build();
            DelayQueueListenerContainer container =
                    registry(context).register(handler("mine").withSettings(settings), factory(context));

            assertThat(container.options().concurrency()).isEqualTo(5);
            assertThat(container.options().backoff())
                    .isEqualTo(Backoff.delays(List.of(Duration.ofMillis(10), Duration.ofMillis(20))));
            assertThat(container.isRunning()).isFalse();
            container.start();
            schedule(context, "w");
            assertThat(received.first()).isEqualTo("w");
        });
    }

    @Test
    void failuresThatAreNotRetryableAreDeadLetteredAtOnce() {
        DelayQueueListenerEndpoint endpoint = DelayQueueListenerEndpoint.forHandler(
                        "mine", "work", (message, delivery) -> {
                            received.add(message.id());
                            throw new IllegalStateException("failed on purpose");
                        })
                .withRetryable(failure -> !(failure instanceof IllegalStateException));
        runner.run(context -> {
            registry(context).register(endpoint, factory(context));
            schedule(context, "w");

            await().until(() ->
                    context.getBean(DelayQueueClient.class).stats("work").dead() == 1);
            assertThat(received.all()).hasSize(1);
        });
    }

    @Test
    void messageThatCanNotBeReadIsDeadLetteredAtOnceWhateverItsPredicateSays() throws Exception {
        DelayQueueListenerEndpoint endpoint = DelayQueueListenerEndpoint.forMethod(
                        "orders",
                        "work",
                        new TakesOrders(),
                        TakesOrders.class.getDeclaredMethod("on", OrderPlaced.class))
                .withRetryable(failure -> true);
        runner.run(context -> {
            registry(context).register(endpoint, factory(context));
            schedule(context, "no order");

            DelayQueueClient client = context.getBean(DelayQueueClient.class);
            await().until(() -> client.stats("work").dead() == 1);
            assertThat(client.stats("work").totals().retried()).isZero();
        });
    }

    @Test
    void failureOfAnInterceptorGetsAnotherAttemptAndIsNoneOfItsPredicatesBusiness() {
        Received<Throwable> judged = new Received<>();
        DelayQueueListenerEndpoint endpoint = handler("mine").withRetryable(failure -> {
            judged.add(failure);
            return false;
        });
        runner.withBean(DelayQueueInterceptor.class, () -> (message, delivery, next) -> {
                    if (message.attempt() == 1) {
                        throw new IllegalStateException("no tenant");
                    }
                    next.handle(message, delivery);
                })
                .withPropertyValues("delayqueue.listener.backoff.initial=10ms")
                .run(context -> {
                    registry(context).register(endpoint, factory(context));
                    schedule(context, "w");

                    assertThat(received.first()).isEqualTo("w");
                    assertThat(judged.all()).isEmpty();
                });
    }

    @Test
    void asynchronousHandlerIsWaitedForSoThatTheErrorHandlerSeesItsOutcome() {
        Received<String> failed = new Received<>();
        runner.withBean(
                        ListenerErrorHandler.class,
                        () -> (message, failure, delivery) -> failed.add(failure.getMessage()))
                .run(context -> {
                    CompletableFuture<Void> stage = new CompletableFuture<>();
                    DelayQueueListenerEndpoint endpoint = DelayQueueListenerEndpoint.forHandler(
                            "mine", "work", MessageHandler.async((message, delivery) -> {
                                received.add(message.id());
                                return stage;
                            }));
                    registry(context).register(endpoint, factory(context));
                    schedule(context, "w");
                    received.first();

                    stage.completeExceptionally(new IllegalStateException("failed later"));

                    assertThat(failed.first()).isEqualTo("failed later");
                });
    }

    @Test
    void listenerRegisteredBeforeTheStartStartsWithTheOthersAndRestartsWithThem() {
        runner.withBean(RegistersEarly.class, () -> new RegistersEarly(handler("mine")))
                .withPropertyValues("delayqueue.listener.backoff.initial=1s")
                .run(context -> {
                    schedule(context, "first");
                    assertThat(received.first()).isEqualTo("first");

                    context.getSourceApplicationContext().stop();
                    assertThat(registry(context).container("mine").orElseThrow().isRunning())
                            .isFalse();
                    context.getSourceApplicationContext().start();

                    schedule(context, "second");
                    assertThat(received.await(2)).containsExactly("first", "second");
                });
    }

    @Test
    void listenersRegisteredBeforeAndAfterTheStartHaveTheirGauges() {
        runner.withConfiguration(AutoConfigurations.of(DelayQueueMetricsAutoConfiguration.class))
                .withBean(MeterRegistry.class, SimpleMeterRegistry::new)
                .withBean(RegistersEarly.class, () -> new RegistersEarly(handler("early", "early-work")))
                .run(context -> {
                    registry(context).register(handler("mine"), factory(context));

                    assertThat(context.getBean(MeterRegistry.class)
                                    .find("delayqueue.oldest.ready.age")
                                    .gauges())
                            .extracting(gauge -> gauge.getId().getTag("topic"))
                            .containsExactlyInAnyOrder("early-work", "work");
                });
    }

    @Test
    void hundredListenersComeAndGoAtTheSameTime() {
        runner.withPropertyValues("delayqueue.listener.concurrency=1").run(context -> {
            List<String> ids = IntStream.range(0, 100).mapToObj(i -> "l" + i).toList();
            ids.parallelStream().forEach(id -> registry(context).register(handler(id), factory(context)));
            assertThat(registry(context).containers()).hasSize(100).allMatch(DelayQueueListenerContainer::isRunning);

            ids.parallelStream().forEach(id -> registry(context).unregister(id));

            assertThat(registry(context).containers()).isEmpty();
            schedule(context, "w");
            await().during(Duration.ofMillis(200)).until(() -> received.all().isEmpty());
        });
    }

    static class TakesOrders {
        final Received<OrderPlaced> received = new Received<>();

        void on(OrderPlaced order) {
            received.add(order);
        }
    }

    static class RegistersEarly {
        private final DelayQueueListenerEndpoint endpoint;

        RegistersEarly(DelayQueueListenerEndpoint endpoint) {
            this.endpoint = endpoint;
        }

        @Autowired
        void register(DelayQueueListenerEndpointRegistry registry, DelayQueueListenerContainerFactory factory) {
            registry.register(endpoint, factory);
        }
    }
}
