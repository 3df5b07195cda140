package io.delayqueue.gateway.sqs.dead;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.DelayQueueOptions;
import io.delayqueue.gateway.security.Caller;
import io.delayqueue.gateway.sqs.action.SqsCall;
import io.delayqueue.gateway.sqs.protocol.Parameters;
import io.delayqueue.gateway.sqs.redis.BoundedRedis;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import io.lettuce.core.RedisClient;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.ReactiveStringRedisTemplate;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Actions on dead letters, which wait on threads of the container. */
@ExtendWith(EmbeddedRedisExtension.class)
class DeadMessagesTests {

    private static final int ENTRIES = 10;
    private static final Duration TIMEOUT = Duration.ofSeconds(2);
    private static final Duration WAIT = Duration.ofSeconds(60);

    private LettuceConnectionFactory connections;
    private RedisClient lettuce;
    private DelayQueueClient client;
    private DeadHolds holds;

    @BeforeEach
    void start(EmbeddedRedis redis) {
        connections = new LettuceConnectionFactory(redis.host(), redis.port());
        connections.afterPropertiesSet();
        connections.start();
        lettuce = RedisClient.create(redis.uri());
        client = DelayQueueClient.create(
                lettuce, DelayQueueOptions.builder().commandTimeout(TIMEOUT).build());
        holds = new DeadHolds(new BoundedRedis(new ReactiveStringRedisTemplate(connections), "dq", TIMEOUT));
    }

    @AfterEach
    void stop() {
        client.close();
        lettuce.shutdown(0, 1, TimeUnit.SECONDS);
        connections.destroy();
    }

    private static DeadHandle handle(int number) {
        return new DeadHandle("orders", "id-" + number, 1_000_000, "receive");
    }

    private static SqsCall batch() {
        ObjectNode parameters = JsonNodeFactory.instance.objectNode();
        ArrayNode entries = parameters.putArray("Entries");
        for (int i = 0; i < ENTRIES; i++) {
            entries.addObject()
                    .put("Id", "entry-" + i)
                    .put("ReceiptHandle", handle(i).toString())
                    .put("VisibilityTimeout", 60);
        }
        return new SqsCall(Caller.EVERYONE, "orders", new Parameters(parameters));
    }

    @ParameterizedTest
    @ValueSource(strings = {"DeleteMessageBatch", "ChangeMessageVisibilityBatch"})
    void batchWaitsOnceForASilentRedis(String action, EmbeddedRedis redis) throws Exception {
        // the first command opens the connection, which may take longer than a command may
        await().atMost(WAIT)
                .ignoreExceptions()
                .until(() -> holds.free(List.of(handle(0))).size() == 1);
        redis.pause();
        try {
            long begun = System.nanoTime();
            ObjectNode result = new DeadMessages(client, holds)
                    .find(action)
                    .perform(batch())
                    .get(1, TimeUnit.MINUTES);
            Duration took = Duration.ofNanos(System.nanoTime() - begun);

            assertThat(result.get("Failed").size()).isEqualTo(ENTRIES);
            assertThat(result.get("Successful").size()).isZero();
            assertThat(took).isLessThan(TIMEOUT.multipliedBy(ENTRIES / 2));
        } finally {
            redis.resume();
        }
    }
}
