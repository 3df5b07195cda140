package io.delayqueue.docs.tour;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.spring.DelayQueueOperations;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;

@ExtendWith({EmbeddedRedisExtension.class, OutputCaptureExtension.class})
class TourTests {

    @Test
    void tourClosesTheOrderThatIsNotPaid(EmbeddedRedis redis, CapturedOutput output) {
        try (ConfigurableApplicationContext shop = start(Shop.class, redis)) {
            assertThat(output).contains("ann pays: CANCELLED");

            await().atMost(Duration.ofSeconds(20))
                    .until(() -> output.getOut().contains("order bob was not paid in time and is closed"));

            assertThat(output).doesNotContain("order ann was not paid");
            assertThat(Thread.getAllStackTraces().keySet())
                    .as("the thread that keeps the application alive")
                    .anyMatch(thread -> thread.getName().equals("keep-alive") && !thread.isDaemon());
        }
    }

    @Test
    void firstLinesOfTheReadmeAreAnApplication(EmbeddedRedis redis, CapturedOutput output) {
        try (ConfigurableApplicationContext shop = start(ShopInShort.class, redis)) {
            shop.getBean(OrderBook.class).add("cleo");
            shop.getBean(InShort.class).place("cleo");

            DelayQueueOperations queue = shop.getBean(DelayQueueOperations.class);
            String id = queue.schedule("order-timeout", new OrderPlaced("cleo"), Duration.ofMillis(50));

            await().atMost(Duration.ofSeconds(20))
                    .until(() -> output.getOut().contains("order cleo was not paid in time and is closed"));
            await().atMost(Duration.ofSeconds(20))
                    .until(() -> queue.find("order-timeout", id).isEmpty());
        }
    }

    private static ConfigurableApplicationContext start(Class<?> application, EmbeddedRedis redis) {
        return new SpringApplicationBuilder(application)
                .web(WebApplicationType.NONE)
                .run(
                        "--spring.data.redis.url=" + redis.uri(),
                        "--spring.config.additional-location=classpath:docs/keep-alive.yaml");
    }
}
