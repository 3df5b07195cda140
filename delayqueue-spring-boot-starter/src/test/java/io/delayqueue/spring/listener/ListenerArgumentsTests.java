package io.delayqueue.spring.listener;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.Delivery;
import io.delayqueue.spring.DelayQueueHeaders;
import io.delayqueue.spring.DelayQueueMessage;
import io.delayqueue.spring.DelayQueueOperations;
import io.delayqueue.spring.annotation.DelayQueueListener;
import io.delayqueue.spring.listener.Arguments.Listener;
import io.delayqueue.spring.testsupport.Contexts;
import io.delayqueue.spring.testsupport.OrderPlaced;
import io.delayqueue.spring.testsupport.Received;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.messaging.Message;
import org.springframework.messaging.MessageHeaders;
import org.springframework.messaging.handler.annotation.Header;
import org.springframework.messaging.handler.annotation.Payload;

/** Arguments of a listener: payload, message and delivery. */
@ExtendWith(EmbeddedRedisExtension.class)
class ListenerArgumentsTests {

    private static final OrderPlaced ORDER = new OrderPlaced(42, "Zoë");

    private ApplicationContextRunner runner = Contexts.runner();

    @BeforeEach
    void useRedis(EmbeddedRedis redis) {
        runner = Contexts.runner(redis);
    }

    @Test
    void payloadIsReadAsTheParametersType() {
        assertThat(argumentOf(TakesOrder.class, ORDER)).isEqualTo(ORDER);
    }

    @Test
    void payloadIsReadWithItsGenerics() {
        assertThat(argumentOf(TakesListOfOrders.class, List.of(ORDER, ORDER))).isEqualTo(List.of(ORDER, ORDER));
    }

    @Test
    void payloadTypeMayComeFromTheSubclass() {
        assertThat(argumentOf(TakesOrderByInheritance.class, ORDER)).isEqualTo(ORDER);
    }

    /** Its type is found once for each listener: here, two that inherit one method. */
    @Test
    void listenersThatInheritAMethodReadTheirOwnTypes() {
        runner.withBean(TakesOrderByInheritance.class)
                .withBean(TakesMapByInheritance.class)
                .run(context -> {
                    Received<Object> orders = context.getBean(TakesOrderByInheritance.class).received;
                    Received<Object> maps = context.getBean(TakesMapByInheritance.class).received;

                    Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> {
                        context.getBean(DelayQueueOperations.class).schedule("orders", ORDER, Duration.ZERO);
                        return !orders.all().isEmpty() && !maps.all().isEmpty();
                    });

                    assertThat(orders.all()).containsOnly(ORDER);
                    assertThat(maps.all()).containsOnly(Map.of("number", 42, "customer", "Zoë"));
                });
    }

    @Test
    void stringAndBytesAreUnchanged() {
        assertThat(argumentOf(TakesString.class, "{no json")).isEqualTo("{no json");
        assertThat((byte[]) argumentOf(TakesBytes.class, new byte[] {0, -1, 7})).containsExactly(0, -1, 7);
    }

    @Test
    void jsonCanBeReadAsText() {
        assertThat(argumentOf(TakesString.class, ORDER)).isEqualTo("{\"number\":42,\"customer\":\"Zoë\"}");
    }

    @Test
    void emptyPayloadIsAnEmptyStringNotAnError() {
        assertThat(argumentOf(TakesString.class, "")).isEqualTo("");
    }

    @Test
    void emptyPayloadIsAnEmptyOptional() {
        assertThat(argumentOf(TakesOptional.class, new byte[0])).isEqualTo(Optional.empty());
        assertThat(argumentOf(TakesOptional.class, ORDER)).isEqualTo(Optional.of(ORDER));
    }

    @Test
    void delayQueueMessageHasEverything() {
        DelayQueueMessage<?> message = (DelayQueueMessage<?>) argumentOf(TakesDelayQueueMessage.class, ORDER);

        assertThat(message.payload()).isEqualTo(ORDER);
        assertThat(message.topic()).isEqualTo("orders");
        assertThat(message.id()).isEqualTo("order-42");
        assertThat(message.attempt()).isEqualTo(1);
        assertThat(message.maxAttempts()).isEqualTo(3);
        assertThat(message.priority()).isEqualTo(7);
        assertThat(message.due())
                .isBetween(Instant.now().minusSeconds(60), Instant.now().plusSeconds(60));
        assertThat(message.headers()).containsEntry("tenant", "acme").hasSize(2);
    }

    @Test
    void springMessageHasPayloadAndHeaders() {
        Message<?> message = (Message<?>) argumentOf(TakesSpringMessage.class, ORDER);

        assertThat(message.getPayload()).isEqualTo(ORDER);
        assertThat(message.getHeaders())
                .containsEntry("tenant", "acme")
                .containsEntry(DelayQueueHeaders.ID, "order-42")
                .containsEntry(DelayQueueHeaders.ATTEMPT, 1);
    }

    @Test
    void messageWithoutTypeArgumentHasTheStoredBytes() {
        Message<?> message = (Message<?>) argumentOf(TakesAnySpringMessage.class, "text");

        assertThat((byte[]) message.getPayload())
                .asString(StandardCharsets.UTF_8)
                .isEqualTo("text");
    }

    @Test
    void deliveryRetriesTheMessageLater() {
        assertThat(argumentOf(RetriesOnce.class, ORDER)).isEqualTo(2);
    }

    @Test
    void parametersMayBeInAnyOrder() {
        assertThat(argumentOf(TakesMuch.class, ORDER)).isEqualTo(List.of("acme", ORDER, "order-42", false));
    }

    @Test
    void listenerNeedsNoParameters() {
        assertThat(argumentOf(TakesNothing.class, ORDER)).isEqualTo("called");
    }

    private Object argumentOf(Class<? extends Listener> listener, Object payload) {
        return Arguments.argumentOf(runner, listener, payload);
    }

    static class TakesOrder extends Listener {
        @DelayQueueListener(topic = "orders")
        void on(OrderPlaced order) {
            received.add(order);
        }
    }

    static class TakesListOfOrders extends Listener {
        @DelayQueueListener(topic = "orders")
        void on(@Payload List<OrderPlaced> orders) {
            received.add(orders);
        }
    }

    abstract static class GenericListener<T> extends Listener {
        @DelayQueueListener(topic = "orders")
        void on(T payload) {
            received.add(payload);
        }
    }

    static class TakesOrderByInheritance extends GenericListener<OrderPlaced> {}

    static class TakesMapByInheritance extends GenericListener<Map<String, Object>> {}

    static class TakesString extends Listener {
        @DelayQueueListener(topic = "orders")
        void on(String text) {
            received.add(text);
        }
    }

    static class TakesBytes extends Listener {
        @DelayQueueListener(topic = "orders")
        void on(byte[] bytes) {
            received.add(bytes);
        }
    }

    static class TakesOptional extends Listener {
        @DelayQueueListener(topic = "orders")
        void on(Optional<OrderPlaced> order) {
            received.add(order);
        }
    }

    static class TakesDelayQueueMessage extends Listener {
        @DelayQueueListener(topic = "orders")
        void on(DelayQueueMessage<OrderPlaced> message) {
            received.add(message);
        }
    }

    static class TakesSpringMessage extends Listener {
        @DelayQueueListener(topic = "orders")
        void on(Message<OrderPlaced> message) {
            received.add(message);
        }
    }

    static class TakesAnySpringMessage extends Listener {
        @DelayQueueListener(topic = "orders")
        void on(Message<?> message) {
            received.add(message);
        }
    }

    static class RetriesOnce extends Listener {
        @DelayQueueListener(topic = "orders")
        void on(Delivery delivery, @Header(DelayQueueHeaders.ATTEMPT) int attempt) {
            if (attempt == 1) {
                delivery.retryAfter(Duration.ofMillis(10));
            } else {
                received.add(attempt);
            }
        }
    }

    static class TakesMuch extends Listener {
        @DelayQueueListener(topic = "orders")
        void on(
                @Header String tenant,
                OrderPlaced order,
                DelayQueueMessage<String> message,
                Delivery delivery,
                MessageHeaders headers) {
            received.add(List.of(tenant, order, message.id(), delivery.isLeaseLost()));
        }
    }

    static class TakesNothing extends Listener {
        private final Consumer<Object> called = received::add;

        @DelayQueueListener(topic = "orders")
        void on() {
            called.accept("called");
        }
    }
}
