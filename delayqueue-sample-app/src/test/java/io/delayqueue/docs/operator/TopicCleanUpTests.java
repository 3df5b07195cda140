package io.delayqueue.docs.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.DelayQueueOptions;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import io.lettuce.core.RedisClient;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(EmbeddedRedisExtension.class)
class TopicCleanUpTests {

    @Test
    void pendingRemindersAreListedAndDroppedAndTheTopicIsRemoved(EmbeddedRedis redis) {
        RedisClient client = RedisClient.create(redis.uri());
        DelayQueueOptions options = DelayQueueOptions.builder()
                .commandTimeout(Duration.ofSeconds(20))
                .build();
        try (DelayQueueClient delayQueue = DelayQueueClient.create(client, options)) {
            for (int i = 0; i < 150; i++) {
                delayQueue.schedule(OutgoingMessage.to("reminder")
                        .payload(new byte[1])
                        .delay(Duration.ofDays(1))
                        .build());
            }
            TopicCleanUp cleanUp = new TopicCleanUp(delayQueue);

            cleanUp.printPending();
            assertThat(cleanUp.redriveGently()).isZero();
            assertThatIllegalStateException().isThrownBy(cleanUp::removeOldTopic);
            assertThat(cleanUp.dropRemindersUntil(Instant.now())).isZero();
            assertThat(cleanUp.dropRemindersUntil(Instant.now().plus(Duration.ofDays(2))))
                    .isEqualTo(150);
            cleanUp.removeOldTopic();

            assertThat(delayQueue.topics()).isEmpty();
        } finally {
            client.shutdown();
        }
    }
}
