package io.delayqueue.gateway.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.DelayQueueOptions;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.PullConsumer;
import io.delayqueue.PullOptions;
import io.delayqueue.PulledMessage;
import io.delayqueue.gateway.testsupport.GatewayProcess;
import io.delayqueue.gateway.testsupport.TricklingReaders;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** A gateway without properties of leases dies while it writes an answer. Redis' clock says when its messages may come again. */
@Tag("slow")
@ExtendWith(EmbeddedRedisExtension.class)
class DeliveryLeaseTests {

    private static final Duration DEFAULT = Duration.ofSeconds(5);
    private static final Duration WAIT = Duration.ofSeconds(120);

    /** Each is more than the systems of both sides keep for a client that does not read: an answer may have one of them only. */
    private static final int MESSAGES = 2;

    private static final int PAYLOAD = 6_000_000;
    private static final int MOST_CLAIMS = 10;

    private static long micros(RedisCommands<String, String> redis) {
        List<String> time = redis.time();
        return Long.parseLong(time.get(0)) * 1_000_000 + Long.parseLong(time.get(1));
    }

    /** When the last of the leases ends. */
    private static long lastEnd(RedisCommands<String, String> redis, String leased) {
        return (long) redis.zrevrangeWithScores(leased, 0, 0).get(0).getScore();
    }

    @Test
    void messagesOfAGatewayThatDiesAreDeliveredAgainAfterTheShortLease(EmbeddedRedis server, @TempDir Path folder)
            throws Exception {
        RedisClient connections = RedisClient.create(server.uri());
        try (GatewayProcess gateway = new GatewayProcess(
                        server, folder.resolve("log"), "delayqueue.gateway.claims.max-answer-memory=64MB");
                TricklingReaders readers = new TricklingReaders();
                StatefulRedisConnection<String, String> connection = connections.connect();
                DelayQueueClient client = DelayQueueClient.create(
                        connections,
                        DelayQueueOptions.builder()
                                .commandTimeout(WAIT)
                                .maxPayload(PAYLOAD)
                                .build())) {
            RedisCommands<String, String> redis = connection.sync();
            for (int i = 0; i < MESSAGES; i++) {
                client.schedule(
                        OutgoingMessage.to("large").payload(new byte[PAYLOAD]).build());
            }
            gateway.awaitReady();
            String body = "{\"max\": " + MESSAGES + ", \"wait\": 20, \"lease\": \"PT10M\"}";
            String claim = "POST /delayqueue/v1/topics/large/claims HTTP/1.1\r\nHost: localhost\r\n"
                    + "Content-Type: application/json\r\nContent-Length: " + body.length() + "\r\n\r\n" + body;
            // a busy machine may release the messages of an answer that finds no thread: then its client asks again
            for (int asked = 1; client.stats("large").inFlight() == 0 && asked <= MOST_CLAIMS; asked++) {
                int answers = asked;
                readers.add(gateway.port(), claim);
                await().atMost(WAIT).until(() -> readers.answered() == answers);
            }
            String leased = redis.keys("*leased*").get(0);

            gateway.kill();
            long killed = micros(redis);
            long end = lastEnd(redis, leased);
            long count = redis.zcard(leased);

            assertThat(count).as("in the answer").isPositive();
            assertThat(end - killed)
                    .as("µs of the short lease")
                    .isLessThan(DEFAULT.plusSeconds(1).toNanos() / 1_000);
            List<PulledMessage> again = new ArrayList<>();
            try (PullConsumer others = client.pullConsumer("large", PullOptions.defaults())) {
                while (again.size() < MESSAGES) {
                    List<PulledMessage> received = others.receive(MESSAGES, WAIT);
                    assertThat(received).as("after %s", again.size()).isNotEmpty();
                    again.addAll(received);
                }
                assertThat(micros(redis)).as("not before").isGreaterThanOrEqualTo(end);
            }
            assertThat(again.stream()
                            .filter(message -> message.message().attempt() == 2)
                            .count())
                    .as("their attempt was counted")
                    .isEqualTo(count);
        } finally {
            connections.shutdown(0, 1, TimeUnit.SECONDS);
        }
    }
}
