package io.delayqueue.gateway.sqs.dead;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.DelayQueueOptions;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.PullConsumer;
import io.delayqueue.PullOptions;
import io.delayqueue.PulledMessage;
import io.delayqueue.TopicStats;
import io.delayqueue.gateway.testsupport.GatewayProcess;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import io.lettuce.core.RedisClient;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A move goes on when the gateway that began it was killed, and moves each dead letter once. */
@Tag("slow")
@ExtendWith(EmbeddedRedisExtension.class)
class KilledMoveTests {

    private static final int MESSAGES = 100_000;
    private static final Duration LONG = Duration.ofSeconds(180);
    private static final String SOURCE = "{\"SourceArn\":\"arn:aws:sqs:us-east-1:000000000000:orders-dead\"}";

    private final HttpClient http = HttpClient.newHttpClient();

    private JsonNode call(GatewayProcess gateway, String action, String body) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + gateway.port() + "/"))
                .header("X-Amz-Target", "AmazonSQS." + action)
                .POST(HttpRequest.BodyPublishers.ofString(body))
                .build();
        HttpResponse<String> response = http.send(request, HttpResponse.BodyHandlers.ofString());
        assertThat(response.statusCode()).as("%s", response.body()).isEqualTo(200);
        return new JsonMapper().readTree(response.body());
    }

    private static void killAll(DelayQueueClient client) {
        for (int i = 0; i < MESSAGES; i += 1_000) {
            List<OutgoingMessage> messages = new ArrayList<>();
            for (int j = 0; j < 1_000; j++) {
                messages.add(
                        OutgoingMessage.to("orders").payload(new byte[] {'x'}).build());
            }
            assertThat(client.scheduleAll(messages)).hasSize(1_000);
        }
        try (PullConsumer consumer = client.pullConsumer("orders", PullOptions.defaults())) {
            for (int left = MESSAGES; left > 0; ) {
                List<CompletableFuture<Boolean>> ends = new ArrayList<>();
                for (PulledMessage message : consumer.receive(512, Duration.ofSeconds(30))) {
                    ends.add(consumer.deadLetterAsync(message.receipt(), "test"));
                }
                ends.forEach(CompletableFuture::join);
                left -= ends.size();
            }
        }
    }

    @Test
    @Timeout(500)
    void moveGoesOnAfterARestart(EmbeddedRedis redis, @TempDir Path folder) throws Exception {
        RedisClient connections = RedisClient.create(redis.uri());
        try (DelayQueueClient client = DelayQueueClient.create(
                        connections,
                        DelayQueueOptions.builder()
                                .commandTimeout(Duration.ofSeconds(20))
                                .build());
                GatewayProcess gateway = new GatewayProcess(
                        redis,
                        folder.resolve("gateway.log"),
                        "delayqueue.gateway.sqs.enabled=true",
                        "delayqueue.command-timeout=20s")) {
            killAll(client);
            assertThat(client.stats("orders").dead()).isEqualTo(MESSAGES);
            gateway.awaitReady();
            call(gateway, "StartMessageMoveTask", SOURCE);
            await().atMost(LONG)
                    .pollInterval(Duration.ofMillis(10))
                    .until(() -> client.stats("orders").dead() < MESSAGES);
            gateway.kill();
            long left = client.stats("orders").dead();
            assertThat(left).as("it was killed in the middle").isPositive();

            gateway.start();
            gateway.awaitReady();
            JsonNode running = call(gateway, "ListMessageMoveTasks", SOURCE).at("/Results/0");
            assertThat(running.path("Status").stringValue()).isIn("RUNNING", "COMPLETED");

            await().atMost(LONG)
                    .until(() -> call(gateway, "ListMessageMoveTasks", SOURCE)
                            .at("/Results/0/Status")
                            .stringValue()
                            .equals("COMPLETED"));
            TopicStats stats = client.stats("orders");
            assertThat(stats.dead()).isZero();
            assertThat(stats.totals().redriven()).isEqualTo(MESSAGES);
            assertThat(stats.pending().ready()).isEqualTo(MESSAGES);
            assertThat(stats.unaccounted()).isZero();
        } finally {
            connections.shutdown();
        }
    }
}
