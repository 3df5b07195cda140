package io.delayqueue.docs.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.DelayQueueOptions;
import io.delayqueue.RedisUnavailableException;
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
    @Timeout(value = 120, unit = TimeUnit.SECONDS)
    void exampleWithoutSpringDeliversItsMessage(EmbeddedRedis redis, CapturedOutput output) {
        // the first connection of a JVM is a slow one
        DelayQueueOptions patient = DelayQueueOptions.builder()
                .commandTimeout(Duration.ofSeconds(20))
                .build();
        RedisClient client = RedisClient.create(redis.uri());
        try (DelayQueueClient delayQueue = DelayQueueClient.create(client, patient)) {
            assertThat(delayQueue.topics()).isEmpty();

            // its own first call has the default command timeout only
            await().atMost(Duration.ofSeconds(60))
                    .pollInSameThread()
                    .ignoreException(RedisUnavailableException.class)
                    .until(() -> {
                        WithoutSpring.main(redis.uri());
                        return true;
                    });

            assertThat(output).contains("Call Ann");
            assertThat(delayQueue.topics()).containsExactly("reminder");
            assertThat(delayQueue.stats("reminder").unaccounted()).isZero();
        } finally {
            client.shutdown();
        }
    }
}
