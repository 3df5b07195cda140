package io.delayqueue.docs.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.DelayQueueOptions;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import io.lettuce.core.RedisClient;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

@ExtendWith({EmbeddedRedisExtension.class, OutputCaptureExtension.class})
class WithoutSpringTests {

    @Test
    @Timeout(value = 60, unit = TimeUnit.SECONDS)
    void exampleWithoutSpringDeliversItsMessage(EmbeddedRedis redis, CapturedOutput output)
            throws InterruptedException {
        // the first connection of a JVM is a slow one
        DelayQueueOptions patient = DelayQueueOptions.builder()
                .commandTimeout(Duration.ofSeconds(20))
                .build();
        RedisClient client = RedisClient.create(redis.uri());
        try (DelayQueueClient delayQueue = DelayQueueClient.create(client, patient)) {
            assertThat(delayQueue.topics()).isEmpty();

            WithoutSpring.main(redis.uri());

            assertThat(output).contains("Call Ann");
            assertThat(delayQueue.topics()).containsExactly("reminder");
            assertThat(delayQueue.stats("reminder").unaccounted()).isZero();
        } finally {
            client.shutdown();
        }
    }
}
