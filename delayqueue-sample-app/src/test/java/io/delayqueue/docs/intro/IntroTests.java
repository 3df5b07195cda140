package io.delayqueue.docs.intro;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.docs.intro.OrderTimeouts.OrderPlaced;
import io.delayqueue.docs.intro.OrderTimeouts.Orders;
import io.delayqueue.spring.DelayQueueOperations;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;

@ExtendWith(EmbeddedRedisExtension.class)
class IntroTests {

    @Test
    void firstLinesOfTheReadmeScheduleAndHandle(EmbeddedRedis redis) {
        try (ConfigurableApplicationContext shop = new SpringApplicationBuilder(Shop.class)
                .web(WebApplicationType.NONE)
                .run("--spring.data.redis.url=" + redis.uri(), "--delayqueue.command-timeout=20s")) {
            shop.getBean(OrderTimeouts.class).place("4711");
            shop.getBean(DelayQueueOperations.class)
                    .schedule("order-timeout", new OrderPlaced("4712"), Duration.ofMillis(50));

            ClosedOrders closed = shop.getBean(ClosedOrders.class);
            await().atMost(Duration.ofSeconds(20)).until(() -> !closed.ids.isEmpty());
            assertThat(closed.ids).containsExactly("4712");
        }
    }

    @SpringBootConfiguration
    @EnableAutoConfiguration
    @Import(OrderTimeouts.class)
    static class Shop {

        @Bean
        ClosedOrders orders() {
            return new ClosedOrders();
        }
    }

    static class ClosedOrders implements Orders {

        private final List<String> ids = new CopyOnWriteArrayList<>();

        @Override
        public void closeUnlessPaid(String orderId) {
            ids.add(orderId);
        }
    }
}
