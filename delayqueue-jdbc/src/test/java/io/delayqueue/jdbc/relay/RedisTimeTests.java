package io.delayqueue.jdbc.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.DelayQueueClosedException;
import io.delayqueue.DelayQueueOptions;
import io.delayqueue.OutboxOptions;
import io.delayqueue.test.EmbeddedRedis;
import io.lettuce.core.RedisClient;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class RedisTimeTests {

    /** The audit goes on for a while after the client was closed: what becomes of messages meanwhile is recorded by that time. */
    @Test
    void goesOnWhenTheClientIsClosed() {
        try (EmbeddedRedis redis = EmbeddedRedis.start()) {
            RedisClient connections = RedisClient.create(redis.uri());
            DelayQueueClient client = DelayQueueClient.create(
                    connections,
                    DelayQueueOptions.builder()
                            .commandTimeout(Duration.ofSeconds(60))
                            .build());
            RedisTime time = new RedisTime(() -> client.outbox(OutboxOptions.DEFAULTS));
            long last = time.past();
            client.close();
            connections.shutdown();

            assertThatExceptionOfType(DelayQueueClosedException.class).isThrownBy(time::ask);
            time.refreshIfOlderThan(Duration.ZERO);

            assertThat(time.estimate()).isPresent();
            assertThat(time.estimate().getAsLong()).isGreaterThanOrEqualTo(last);
        }
    }
}
