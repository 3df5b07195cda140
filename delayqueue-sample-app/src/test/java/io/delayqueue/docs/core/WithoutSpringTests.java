package io.delayqueue.docs.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.DelayQueueOptions;
import io.delayqueue.TopicStats;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import io.lettuce.core.RedisClient;
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
        WithoutSpring.main(redis.uri());

        assertThat(output).contains("Call Ann");
        RedisClient client = RedisClient.create(redis.uri());
        try (DelayQueueClient delayQueue = DelayQueueClient.create(client, DelayQueueOptions.defaults())) {
            TopicStats stats = delayQueue.stats("reminder");
            assertThat(stats.unaccounted()).isZero();
            assertThat(delayQueue.topics()).containsExactly("reminder");
        } finally {
            client.shutdown();
        }
    }
}
