package io.delayqueue.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.DelayQueue;
import io.delayqueue.spring.DelayQueueOperations;
import io.delayqueue.spring.listener.DelayQueueListener;
import io.delayqueue.spring.testing.Contexts;
import io.delayqueue.spring.testing.Received;
import io.delayqueue.test.EmbeddedRedis;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.SlotHash;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.test.util.TestSocketUtils;

/** The application's own {@code spring.data.redis.cluster.*}. */
class RedisClusterTests {

    private EmbeddedRedis server;

    @BeforeEach
    void startClusterOfOne() {
        // its bus listens 10,000 above
        int port = 12_000 + TestSocketUtils.findAvailableTcpPort() % 10_000;
        server = EmbeddedRedis.builder()
                .port(port)
                .setting("cluster-enabled", "yes")
                .setting("cluster-announce-ip", "127.0.0.1")
                .start();
        RedisClient client = RedisClient.create(server.uri());
        try (StatefulRedisConnection<String, String> connection = client.connect()) {
            connection
                    .sync()
                    .clusterAddSlots(IntStream.range(0, SlotHash.SLOT_COUNT).toArray());
            await().until(() -> connection.sync().clusterInfo().contains("cluster_state:ok"));
        } finally {
            client.shutdown(0, 1, TimeUnit.SECONDS);
        }
    }

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    void scheduledMessagesReachTheListener() {
        Contexts.runner()
                .withPropertyValues(
                        "spring.data.redis.cluster.nodes=127.0.0.1:" + server.port(),
                        "delayqueue.topics.work.partitions=4")
                .withBean(Listener.class)
                .run(context -> {
                    DelayQueueOperations operations = context.getBean(DelayQueueOperations.class);
                    IntStream.range(0, 20).forEach(i -> operations.schedule("work", "m" + i, Duration.ofMillis(5)));

                    assertThat(context.getBean(Listener.class).received.await(20))
                            .contains("m0", "m19");
                    await().until(() ->
                            context.getBean(DelayQueue.class).stats("work").acked() == 20);
                });
    }

    static class Listener {

        final Received<String> received = new Received<>();

        @DelayQueueListener(topic = "work")
        void handle(String payload) {
            received.add(payload);
        }
    }
}
