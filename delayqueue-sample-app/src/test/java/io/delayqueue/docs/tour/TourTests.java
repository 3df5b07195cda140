package io.delayqueue.docs.tour;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

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
            assertThat(output).doesNotContain("Two listeners");
            assertThat(Thread.getAllStackTraces().keySet())
                    .as("the thread that keeps the application alive")
                    .anyMatch(thread -> thread.getName().equals("delayqueue-keep-alive") && !thread.isDaemon());
        }
    }

    private static ConfigurableApplicationContext start(Class<?> application, EmbeddedRedis redis) {
        return new SpringApplicationBuilder(application)
                .web(WebApplicationType.NONE)
                .run(
                        "--spring.data.redis.url=" + redis.uri(),
                        "--delayqueue.command-timeout=20s"); // the first connection of a JVM is a slow one
    }
}
