package io.delayqueue.spring.listener;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.spring.DelayQueueHeaders;
import io.delayqueue.spring.annotation.DelayQueueListener;
import io.delayqueue.spring.listener.Arguments.Listener;
import io.delayqueue.spring.testsupport.Contexts;
import io.delayqueue.spring.testsupport.OrderPlaced;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.messaging.Message;
import org.springframework.messaging.MessageHeaders;
import org.springframework.messaging.handler.annotation.Header;
import org.springframework.messaging.handler.annotation.Headers;

/** Headers as arguments of a listener. */
@ExtendWith(EmbeddedRedisExtension.class)
class ListenerHeadersTests {

    private static final OrderPlaced ORDER = new OrderPlaced(42, "Zoë");

    private ApplicationContextRunner runner = Contexts.runner();

    @BeforeEach
    void useRedis(EmbeddedRedis redis) {
        runner = Contexts.runner(redis);
    }

    @Test
    void headersAreConvertedToTheParametersType() {
        assertThat(argumentOf(TakesHeaders.class, ORDER)).isEqualTo(List.of("acme", 12, "none", "order-42", 1));
    }

    @Test
    void allHeadersAreAvailableAsAMap() {
        assertThat((Map<?, ?>) argumentOf(TakesHeaderMap.class, ORDER))
                .isEqualTo(argumentOf(TakesMessageHeaders.class, ORDER));
        assertThat(((Map<?, ?>) argumentOf(TakesHeaderMap.class, ORDER))
                        .keySet().stream().map(String::valueOf))
                .containsExactlyInAnyOrder(
                        "tenant",
                        "weight",
                        DelayQueueHeaders.TOPIC,
                        DelayQueueHeaders.ID,
                        DelayQueueHeaders.ATTEMPT,
                        DelayQueueHeaders.MAX_ATTEMPTS,
                        DelayQueueHeaders.DUE,
                        DelayQueueHeaders.PRIORITY);
    }

    @Test
    void allParametersGetTheSameHeadersWithoutAGeneratedIdAndTimestamp() {
        List<?> arguments = (List<?>) argumentOf(TakesHeadersInSeveralWays.class, ORDER);

        MessageHeaders headers = (MessageHeaders) arguments.get(0);
        assertThat(arguments).allSatisfy(argument -> assertThat(argument).isSameAs(headers));
        assertThat(headers.getId()).isNull();
        assertThat(headers.getTimestamp()).isNull();
    }

    private Object argumentOf(Class<? extends Listener> listener, Object payload) {
        return Arguments.argumentOf(runner, listener, payload);
    }

    static class TakesHeaders extends Listener {
        @DelayQueueListener(topic = "orders")
        void on(
                @Header("tenant") String tenant,
                @Header("weight") int weight,
                @Header(name = "absent", defaultValue = "${unset:none}") String absent,
                @Header(DelayQueueHeaders.ID) String id,
                @Header(DelayQueueHeaders.ATTEMPT) int attempt) {
            received.add(List.of(tenant, weight, absent, id, attempt));
        }
    }

    static class TakesHeaderMap extends Listener {
        @DelayQueueListener(topic = "orders")
        void on(@Headers Map<String, Object> headers) {
            received.add(comparable(headers));
        }
    }

    static class TakesMessageHeaders extends Listener {
        @DelayQueueListener(topic = "orders")
        void on(MessageHeaders headers) {
            received.add(comparable(headers));
        }
    }

    static class TakesHeadersInSeveralWays extends Listener {
        @DelayQueueListener(topic = "orders")
        void on(Message<OrderPlaced> message, MessageHeaders headers, @Headers Map<String, Object> map) {
            received.add(List.of(message.getHeaders(), headers, map));
        }
    }

    private static Map<String, String> comparable(Map<String, Object> headers) {
        Map<String, String> texts = new HashMap<>();
        headers.forEach((name, value) -> texts.put(name, String.valueOf(value)));
        texts.remove(DelayQueueHeaders.DELIVERY);
        texts.computeIfPresent(DelayQueueHeaders.DUE, (name, due) -> "some time");
        return texts;
    }
}
