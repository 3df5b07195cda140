package io.delayqueue.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.delayqueue.DelayQueueException;
import io.delayqueue.sample.order.Order;
import io.delayqueue.sample.order.OrderEvent;
import io.delayqueue.sample.order.Orders;
import io.delayqueue.sample.order.Payment;
import io.delayqueue.spring.DelayQueueOperations;
import io.delayqueue.test.EmbeddedRedis;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.event.EventListener;

/** The shop while its Redis is away, and once it is back. */
@SpringBootTest(
        webEnvironment = WebEnvironment.NONE,
        properties = {"sample.demo=false", "delayqueue.command-timeout=4s"})
class RedisAwayTests {

    private static final Duration SOON = Duration.ofSeconds(60);

    @Autowired
    Orders orders;

    @Autowired
    DelayQueueOperations queue;

    @Autowired
    EmbeddedRedis redis;

    @Autowired
    IgnoredTimeouts ignored;

    /** To connect may take longer than a command. */
    @BeforeEach
    void connect() {
        await().atMost(SOON)
                .ignoreExceptions()
                .until(() -> queue.find(Orders.TIMEOUT_TOPIC, "none").isEmpty());
    }

    @Test
    void orderIsPaidWithoutRedisAndItsTimeoutChangesNothingLater() throws Exception {
        orders.place("ann", "ann@example.com", BigDecimal.TEN, Duration.ofHours(1));
        redis.kill();

        Payment payment = orders.pay("ann").orElseThrow();

        assertThat(payment)
                .isInstanceOfSatisfying(
                        Payment.Accepted.class,
                        paid -> assertThat(paid.timeout())
                                .as("Redis was away, so the outcome is unknown")
                                .isNull());
        assertThat(orders.pay("ann").orElseThrow()).isInstanceOf(Payment.Repeated.class);
        redis.restart();
        // instead of waiting for an hour; the first calls may still fail
        await().atMost(SOON).ignoreExceptions().until(() -> {
            queue.reschedule(Orders.TIMEOUT_TOPIC, "ann", Duration.ZERO);
            return ignored.orders.contains("ann");
        });
        assertThat(orders.find("ann").orElseThrow().state()).isEqualTo(Order.State.PAID);
    }

    @Test
    void orderIsNotPlacedWithoutItsTimeout() throws Exception {
        redis.kill();
        try {
            assertThatThrownBy(() -> orders.place("bob", "bob@example.com", BigDecimal.TEN, Duration.ofHours(1)))
                    .isInstanceOf(DelayQueueException.class);
            assertThat(orders.find("bob")).isEmpty();
        } finally {
            redis.restart();
        }
    }

    @TestConfiguration
    static class IgnoredTimeouts {

        final Set<String> orders = ConcurrentHashMap.newKeySet();

        @EventListener
        void on(OrderEvent.TimeoutIgnored event) {
            orders.add(event.orderId());
        }
    }
}
