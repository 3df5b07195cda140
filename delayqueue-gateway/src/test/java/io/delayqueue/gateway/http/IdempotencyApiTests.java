package io.delayqueue.gateway.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.gateway.testsupport.Gateway;
import io.delayqueue.gateway.testsupport.Gateway.Reply;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.data.redis.core.StringRedisTemplate;

@ExtendWith(EmbeddedRedisExtension.class)
class IdempotencyApiTests {

    private static final String BODY = "{\"delay\": 60, \"payload\": 1}";

    private static Gateway gateway;

    @BeforeAll
    static void start(EmbeddedRedis redis) {
        gateway = Gateway.start(redis);
    }

    @AfterAll
    static void close() {
        gateway.close();
    }

    private Reply schedule(String body, String key) throws Exception {
        return gateway.send("POST", "/topics/orders/messages", body, "Idempotency-Key", key);
    }

    private long accepted() {
        return gateway.client().stats("orders").totals().accepted();
    }

    @Test
    void repeatGetsTheFirstAnswer() throws Exception {
        Reply first = schedule(BODY, "\"k1\"");
        Reply again = schedule(BODY, "\"k1\"");

        assertThat(first.status()).as("%s", first).isEqualTo(201);
        assertThat(again).hasToString(first.toString());
        assertThat(again.header("Location")).isEqualTo(first.header("Location"));
        assertThat(first.header("Idempotent-Replayed")).isEmpty();
        assertThat(again.header("Idempotent-Replayed")).isEqualTo("true");
        assertThat(accepted()).isEqualTo(1);
    }

    @Test
    void otherKeyIsAnotherRequest() throws Exception {
        schedule(BODY, "\"k1\"");
        schedule(BODY, "\"k2\"");

        assertThat(accepted()).isEqualTo(2);
    }

    @Test
    void keyWithAnotherBodyIsRefused() throws Exception {
        schedule(BODY, "\"k1\"");

        assertThat(schedule("{\"payload\": 2}", "\"k1\"").status()).isEqualTo(422);
        assertThat(accepted()).isEqualTo(1);
    }

    @Test
    void failedRequestMayBeRepeated() throws Exception {
        assertThat(schedule("{\"payload\": 1, \"delay\": -1}", "\"k1\"").status())
                .isEqualTo(400);
        assertThat(schedule(BODY, "\"k1\"").status()).isEqualTo(201);
    }

    @Test
    void requestUnderWayIsAConflict() throws Exception {
        Reply first = schedule(BODY, "\"k1\"");
        assertThat(first.status()).isEqualTo(201);
        forgetAnswer(System.currentTimeMillis());

        assertThat(schedule(BODY, "\"k1\"").status()).isEqualTo(409);
        assertThat(accepted()).isEqualTo(1);
    }

    @Test
    void repeatOfARequestWhoseGatewayDiedSchedulesNothingTwice() throws Exception {
        Reply first = schedule("[" + BODY + "," + BODY + "]", "\"k1\"");
        assertThat(first.status()).isEqualTo(200);
        forgetAnswer(System.currentTimeMillis() - 61_000);

        Reply again = schedule("[" + BODY + "," + BODY + "]", "\"k1\"");
        assertThat(again.json().at("/results/0/status").intValue()).isEqualTo(201);
        assertThat(again.json().at("/results/0/id")).isEqualTo(first.json().at("/results/0/id"));
        assertThat(again.json().at("/results/1/id")).isEqualTo(first.json().at("/results/1/id"));
        assertThat(accepted()).isEqualTo(2);
    }

    @Test
    void repeatMayComeToAnotherInstance(EmbeddedRedis redis) throws Exception {
        Reply first = schedule(BODY, "\"k1\"");
        try (Gateway other = Gateway.start(redis)) {
            Reply again = other.send("POST", "/topics/orders/messages", BODY, "Idempotency-Key", "\"k1\"");

            assertThat(again).hasToString(first.toString());
            assertThat(again.header("Idempotent-Replayed")).isEqualTo("true");
        }
        assertThat(accepted()).isEqualTo(1);
    }

    @Test
    void sameKeyForAnotherTopicIsAnotherRequest() throws Exception {
        schedule(BODY, "\"k1\"");
        Reply other = gateway.send("POST", "/topics/mails/messages", BODY, "Idempotency-Key", "\"k1\"");

        assertThat(other.status()).isEqualTo(201);
        assertThat(other.header("Idempotent-Replayed")).isEmpty();
    }

    @Test
    void repeatedRescheduleMovesAMessageOnce() throws Exception {
        schedule("{\"id\": \"o1\", \"delay\": 60, \"payload\": 1}", "\"k1\"");
        String path = "/topics/orders/messages/o1";
        Reply first = gateway.send("PATCH", path, "{\"delay\": 600}", "Idempotency-Key", "\"k2\"");
        assertThat(first.status()).as("%s", first).isEqualTo(200);
        assertThat(gateway.send("PATCH", path, "{\"delay\": 6000}").status()).isEqualTo(200);

        assertThat(gateway.send("PATCH", path, "{\"delay\": 600}", "Idempotency-Key", "\"k2\""))
                .hasToString(first.toString());
        assertThat(gateway.client().find("orders", "o1").orElseThrow().due())
                .isAfter(Instant.now().plusSeconds(5_000));
    }

    @Test
    void ofRequestsAtOnceWithOneKeyOneIsCarriedOut() throws Exception {
        for (int round = 0; round < 5; round++) {
            assertOneOfManyIsCarriedOut("\"at once " + round + "\"", round + 1);
        }
    }

    private void assertOneOfManyIsCarriedOut(String key, long accepted) throws Exception {
        List<CompletableFuture<Reply>> replies = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            replies.add(gateway.sendAsync("POST", "/topics/orders/messages", BODY, "Idempotency-Key", key));
        }
        int carriedOut = 0;
        for (CompletableFuture<Reply> future : replies) {
            Reply reply = future.get(30, TimeUnit.SECONDS);
            if (reply.status() == 409) {
                assertThat(reply.json().get("type").stringValue())
                        .isEqualTo("urn:delayqueue:problem:request-under-way");
            } else {
                assertThat(reply.status()).as("%s", reply).isEqualTo(201);
                carriedOut += reply.header("Idempotent-Replayed").isEmpty() ? 1 : 0;
            }
        }
        assertThat(carriedOut).isEqualTo(1);
        assertThat(accepted()).isEqualTo(accepted);
    }

    @Test
    void ofRepeatsAtOnceOfALostRequestOneIsCarriedOut() throws Exception {
        assertThat(schedule(BODY, "\"k1\"").status()).isEqualTo(201);
        forgetAnswer(System.currentTimeMillis() - 61_000);

        assertOneOfManyIsCarriedOut("\"k1\"", 1);
    }

    @Test
    void refusalByTheQueueIsAnAnswerToo() throws Exception {
        String body = "{\"id\": \"o1\", \"delay\": 60, \"payload\": 1}";
        schedule(body, "\"k1\"");
        Reply first = schedule(body, "\"k2\"");
        assertThat(first.status()).isEqualTo(409);
        assertThat(gateway.send("DELETE", "/topics/orders/messages/o1").status())
                .isEqualTo(204);

        Reply again = schedule(body, "\"k2\"");
        assertThat(again).hasToString(first.toString());
        assertThat(again.header("Idempotent-Replayed")).isEqualTo("true");
        assertThat(accepted()).isEqualTo(1);
    }

    @Test
    void keyWithoutQuotesIsRefused() throws Exception {
        Reply reply = schedule(BODY, "k1");

        assertThat(reply.status()).isEqualTo(400);
        assertThat(reply.json().get("field").stringValue()).isEqualTo("Idempotency-Key");
        assertThat(accepted()).isZero();
    }

    /** As if the gateway had died before it kept the answer. */
    private void forgetAnswer(long begunMillis) {
        StringRedisTemplate redis = gateway.data();
        String key = redis.keys("dq:gateway:idempotency:*").iterator().next();
        String record = redis.opsForValue().get(key);
        redis.opsForValue()
                .set(
                        key,
                        record.replaceFirst("\"answer\":\\{.*}}", "\"answer\":null}")
                                .replaceFirst("\"begunMillis\":\\d+", "\"begunMillis\":" + begunMillis));
    }
}
