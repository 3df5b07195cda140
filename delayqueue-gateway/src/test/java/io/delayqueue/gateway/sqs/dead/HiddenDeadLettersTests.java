package io.delayqueue.gateway.sqs.dead;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.OutgoingMessage;
import io.delayqueue.PullConsumer;
import io.delayqueue.PullOptions;
import io.delayqueue.PulledMessage;
import io.delayqueue.gateway.testsupport.OpenSqs;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Properties;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.data.redis.connection.RedisServerCommands;
import org.springframework.data.redis.core.RedisCallback;
import tools.jackson.databind.JsonNode;

/** Dead letters in flight cost the other receives little, however large they are. */
@ExtendWith(EmbeddedRedisExtension.class)
class HiddenDeadLettersTests {

    private static final Duration WAIT = Duration.ofSeconds(30);
    private static final int HIDDEN = 30;
    private static final int LARGE = 100_000;

    private static OpenSqs sqs;

    @BeforeAll
    static void start(EmbeddedRedis redis) {
        sqs = OpenSqs.start(redis);
    }

    @AfterAll
    static void stop() {
        sqs.close();
    }

    private static void kill(PullConsumer consumer, String id, int size) {
        sqs.client()
                .schedule(OutgoingMessage.to("orders")
                        .id(id)
                        .payload("x".repeat(size).getBytes(StandardCharsets.US_ASCII))
                        .build());
        for (PulledMessage message : consumer.receive(1, WAIT)) {
            consumer.deadLetter(message.receipt(), "test");
        }
    }

    private static JsonNode receive() throws Exception {
        return sqs.json("ReceiveMessage", OpenSqs.receiveBody("orders-dead", 0, 600))
                .json()
                .path("Messages");
    }

    private static long bytesFromRedis() {
        Properties stats = sqs.gateway().data().execute((RedisCallback<Properties>) connection -> {
            RedisServerCommands server = connection.serverCommands();
            return server.info("stats");
        });
        assertThat(stats).isNotNull();
        return Long.parseLong(stats.getProperty("total_net_output_bytes"));
    }

    @Test
    void bodiesInFlightAreNotRead() throws Exception {
        sqs.create("orders");
        try (PullConsumer consumer = sqs.client().pullConsumer("orders", PullOptions.defaults())) {
            kill(consumer, "behind", 1);
            for (int i = 0; i < HIDDEN; i++) {
                kill(consumer, "large-" + i, LARGE);
            }
        }
        assertThat(sqs.client().stats("orders").dead()).isEqualTo(HIDDEN + 1);
        long before = bytesFromRedis();
        for (int received = 0; received < HIDDEN; ) {
            JsonNode page = receive();
            assertThat(page.size()).isBetween(1, 10);
            received += page.size();
        }
        long read = bytesFromRedis() - before;
        // each body once
        assertThat(read).isBetween((long) HIDDEN * LARGE, (HIDDEN + 5L) * LARGE);

        before = bytesFromRedis();
        JsonNode last = receive();
        assertThat(last.size()).isEqualTo(1);
        assertThat(last.at("/0/Body").stringValue()).isEqualTo("x");
        assertThat(receive().isEmpty()).as("all are in flight").isTrue();
        assertThat(bytesFromRedis() - before).as("bytes from Redis").isLessThan(LARGE);
    }
}
