package io.delayqueue.gateway.callback;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.DelayQueueClosedException;
import io.delayqueue.DelayQueueOptions;
import io.lettuce.core.RedisClient;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.data.redis.core.StringRedisTemplate;

class CallbacksLifecycleTests {

    private static final String KEEP_ALIVE = "delayqueue-callbacks-keep-alive";

    @Test
    void aStartThatFailsLeavesNothingThatKeepsTheProcessAlive() {
        try (RedisClient redis = RedisClient.create("redis://127.0.0.1:1")) {
            DelayQueueClient closed = DelayQueueClient.create(redis, DelayQueueOptions.defaults());
            closed.close();
            Callbacks callbacks = new Callbacks(
                    closed,
                    CallbackInstance.configuration(Map.of(
                            "delayqueue.callbacks.hooks.url",
                            "https://hook.example/",
                            "delayqueue.callbacks.hooks.secrets",
                            CallbackInstance.SECRET)),
                    new StringRedisTemplate(),
                    null,
                    List.of());

            assertThatThrownBy(callbacks::start).isInstanceOf(DelayQueueClosedException.class);
            assertThat(callbacks.isRunning()).isFalse();
            await().atMost(Duration.ofSeconds(30))
                    .until(() -> Thread.getAllStackTraces().keySet().stream()
                            .noneMatch(thread -> thread.getName().equals(KEEP_ALIVE)));
        }
    }
}
