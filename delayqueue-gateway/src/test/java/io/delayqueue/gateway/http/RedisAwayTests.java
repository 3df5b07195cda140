package io.delayqueue.gateway.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.RedisUnavailableException;
import io.delayqueue.TopicStats;
import io.delayqueue.gateway.testsupport.Gateway;
import io.delayqueue.gateway.testsupport.Gateway.Reply;
import io.delayqueue.test.EmbeddedRedis;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** Many requests while Redis freezes, dies and comes back: each is answered in time, and never by 500. */
@ExtendWith(OutputCaptureExtension.class)
@Tag("slow")
class RedisAwayTests {

    private static final long SEED = System.nanoTime();
    private static final String MESSAGES = "/topics/orders/messages";

    private static final String[][] REQUESTS = {
        {"POST", MESSAGES, "{\"payload\": 1}"},
        {"POST", MESSAGES, "[{\"payload\": 1}, {\"payload\": 2}]"},
        {"POST", MESSAGES, "{\"payload\": 1, \"delay\": 60}", "Idempotency-Key", "\"KEY\""},
        {"GET", MESSAGES + "/o1", ""},
        {"DELETE", MESSAGES + "/o1", ""},
        {"PATCH", MESSAGES + "/o1", "{\"delay\": 60}"},
        {"PATCH", MESSAGES + "/o1", "{\"delay\": 60}", "Idempotency-Key", "\"KEY\""},
        {"POST", "/topics/orders/claims", "{}"},
        {"POST", "/topics/orders/claims", "{\"wait\": 1, \"max\": 10}"},
        {"GET", "/topics", ""},
        {"GET", "/topics/orders", ""},
        {"DELETE", "/claims/RECEIPT", ""},
        {"POST", "/claims/RECEIPT/retry", "{}"},
        {"POST", "/claims/RECEIPT/extend", "{\"lease\": 10}"},
        {"POST", "/claims/RECEIPT/release", ""},
        {"POST", "/claims/RECEIPT/dead-letter", ""},
    };

    @Test
    void noRequestIs500AndNoneHangs(CapturedOutput output) throws Exception {
        Random random = new Random(SEED);
        try (EmbeddedRedis redis = EmbeddedRedis.builder().appendOnly().start();
                Gateway gateway = Gateway.start(
                        redis,
                        // a user that is still there after a restart
                        "spring.data.redis.url=" + redis.uri(),
                        "delayqueue.command-timeout=1s",
                        "spring.data.redis.timeout=60s")) {
            String receipt = receipt(gateway);
            for (int round = 0; round < 8; round++) {
                boolean freezes = round % 2 == 0;
                List<CompletableFuture<Reply>> replies = new ArrayList<>(send(gateway, random, receipt, 50));
                if (freezes) {
                    redis.pause();
                } else {
                    redis.kill();
                }
                long begun = System.nanoTime();
                replies.addAll(send(gateway, random, receipt, 250));
                for (CompletableFuture<Reply> reply : replies) {
                    assertAnswered(reply.get(60, TimeUnit.SECONDS));
                }
                assertThat(Duration.ofNanos(System.nanoTime() - begun))
                        .as("300 requests under way, seed %s", SEED)
                        .isLessThan(Duration.ofSeconds(45));
                if (freezes) {
                    redis.resume();
                } else {
                    redis.restart();
                }
                for (CompletableFuture<Reply> reply : send(gateway, random, receipt, 50)) {
                    assertAnswered(reply.get(60, TimeUnit.SECONDS));
                }
                await().atMost(Duration.ofSeconds(60))
                        .until(() -> gateway.send("POST", MESSAGES, "{\"payload\": 1}")
                                        .status()
                                == 201);
            }
            TopicStats stats = await().atMost(Duration.ofSeconds(60))
                    .ignoreExceptionsInstanceOf(RedisUnavailableException.class)
                    .until(() -> gateway.client().stats("orders"), told -> true);
            assertThat(stats.unaccounted()).isZero();
        }
        assertThat(output.getAll()).doesNotContain("onErrorDropped").doesNotContain("A request failed; the response");
    }

    /** Again if Redis needs longer than its second: at first the gateway has to connect. */
    private static String receipt(Gateway gateway) {
        await().atMost(Duration.ofSeconds(60))
                .until(
                        () -> gateway.send("POST", MESSAGES, "{\"id\": \"o0\", \"payload\": 1}"),
                        reply -> reply.status() == 201 || reply.status() == 409);
        return await().atMost(Duration.ofSeconds(60))
                .until(
                        () -> gateway.send("POST", "/topics/orders/claims", "{\"wait\": 30, \"lease\": 600}")
                                .json()
                                .at("/messages/0/receipt"),
                        receipt -> receipt.isString())
                .stringValue();
    }

    private static List<CompletableFuture<Reply>> send(Gateway gateway, Random random, String receipt, int many) {
        List<CompletableFuture<Reply>> replies = new ArrayList<>();
        for (int i = 0; i < many; i++) {
            String[] request = REQUESTS[random.nextInt(REQUESTS.length)];
            String[] headers = request.length > 3
                    ? new String[] {request[3], request[4].replace("KEY", "k" + random.nextInt(1_000))}
                    : new String[0];
            replies.add(gateway.sendAsync(request[0], request[1].replace("RECEIPT", receipt), request[2], headers));
        }
        return replies;
    }

    private static void assertAnswered(Reply reply) {
        assertThat(reply.status()).as("%s", reply).isNotEqualTo(500);
        if (reply.status() >= 500) {
            assertThat(reply.status()).as("%s", reply).isEqualTo(503);
            assertThat(reply.header("Retry-After")).isNotEmpty();
        }
    }
}
