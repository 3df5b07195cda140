package io.delayqueue.gateway.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.gateway.testsupport.Gateway;
import io.delayqueue.gateway.testsupport.Gateway.Reply;
import io.delayqueue.test.EmbeddedRedis;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.core.RedisCallback;

/** Answers to clients while Redis is silent or full, and while a topic is: nothing hangs, and repeats are safe. */
class TroubledRedisTests {

    private static final String MESSAGES = "/topics/orders/messages";

    private static EmbeddedRedis redis;
    private static Gateway gateway;

    @BeforeAll
    static void start() {
        redis = EmbeddedRedis.start();
        gateway = Gateway.start(
                redis,
                "delayqueue.command-timeout=1s",
                "delayqueue.topics.small.max-pending=1",
                // as by default
                "spring.data.redis.timeout=60s");
        // to connect may take longer than a command
        awaitStatus(201, "POST", "/topics/first/messages", "{\"delay\": 60, \"payload\": 1}");
    }

    @AfterAll
    static void close() {
        gateway.close();
        redis.close();
    }

    private static Reply awaitStatus(int status, String method, String path, String body, String... headers) {
        return await().atMost(Duration.ofSeconds(60))
                .until(() -> gateway.send(method, path, body, headers), reply -> reply.status() == status);
    }

    private static void assertProblem(Reply reply, int status, String code) {
        assertThat(reply.status()).as("%s", reply).isEqualTo(status);
        assertThat(reply.json().get("type").stringValue()).isEqualTo("urn:delayqueue:problem:" + code);
        assertThat(reply.header("Retry-After")).isNotEmpty();
    }

    private static void assertInTime(String method, String path, String body, String... headers) throws Exception {
        long begun = System.nanoTime();
        assertProblem(gateway.send(method, path, body, headers), 503, "redis-unavailable");
        assertThat(Duration.ofNanos(System.nanoTime() - begun))
                .as("%s %s", method, path)
                .isLessThan(Duration.ofSeconds(30));
    }

    @Test
    @Tag("slow")
    void silentRedisIs503ForEveryRequest() throws Exception {
        // one that took longer than its second may have been applied
        await().atMost(Duration.ofSeconds(60))
                .until(
                        () -> gateway.send("POST", MESSAGES, "{\"id\": \"o1\", \"payload\": 1}"),
                        reply -> reply.status() == 201 || reply.status() == 409);
        Reply claimed = await().atMost(Duration.ofSeconds(60))
                .until(
                        () -> gateway.send("POST", "/topics/orders/claims", "{\"wait\": 30, \"lease\": 600}"),
                        reply -> reply.json().at("/messages/0/receipt").isString());
        String claim = "/claims/" + claimed.json().at("/messages/0/receipt").stringValue();
        String second = "{\"id\": \"o2\", \"delay\": 60, \"payload\": 2}";

        redis.pause();
        try {
            // a second each, where Redis' client would wait for a minute, also for its connection
            assertInTime("POST", MESSAGES, second);
            assertInTime("POST", MESSAGES, "{\"payload\": 3}", "Idempotency-Key", "\"k\"");
            assertInTime("POST", "/topics/orders/claims", "{}");
            assertInTime("GET", "/topics/orders", "");
            assertInTime("GET", "/topics", "");
            assertInTime("GET", MESSAGES + "/o1", "");
            assertInTime("DELETE", MESSAGES + "/o1", "");
            assertInTime("PATCH", MESSAGES + "/o1", "{\"delay\": 1}");
            assertInTime("DELETE", claim, "");
        } finally {
            redis.resume();
        }

        // the first one may have been applied
        await().atMost(Duration.ofSeconds(60))
                .until(() -> gateway.send("DELETE", claim), reply -> reply.status() == 204 || reply.status() == 409);
        await().atMost(Duration.ofSeconds(60))
                .until(
                        () -> gateway.send("POST", MESSAGES, second),
                        reply -> reply.status() == 201 || reply.status() == 409);
        Reply topic = awaitStatus(200, "GET", "/topics/orders", "");
        assertThat(topic.json().at("/totals/acked").longValue()).isEqualTo(1);
        assertThat(topic.json().at("/totals/accepted").longValue()).isEqualTo(2);
    }

    @Test
    void fullRedisIs503AndNothingIsScheduled() throws Exception {
        awaitStatus(201, "POST", "/topics/before/messages", "{\"delay\": 60, \"payload\": 1}");
        long before = accepted("before");
        memory("1");
        try {
            // a command that takes longer than its second is another 503
            Reply full = await().atMost(Duration.ofSeconds(60))
                    .until(
                            () -> gateway.send("POST", "/topics/before/messages", "{\"delay\": 60, \"payload\": 1}"),
                            reply -> reply.status() == 503 && reply.toString().contains("redis-full"));
            assertProblem(full, 503, "redis-full");
        } finally {
            memory("0");
        }
        assertThat(accepted("before")).isEqualTo(before).isPositive();
    }

    private static long accepted(String topic) {
        return awaitStatus(200, "GET", "/topics/" + topic, "")
                .json()
                .at("/totals/accepted")
                .longValue();
    }

    private static void memory(String most) {
        gateway.data().execute((RedisCallback<Boolean>) (RedisConnection connection) -> {
            connection.serverCommands().setConfig("maxmemory", most);
            return true;
        });
    }

    @Test
    void fullTopicIs429() throws Exception {
        String path = "/topics/small/messages";
        // the one that is taken may take longer than its second, and is answered with 503 then
        assertProblem(awaitStatus(429, "POST", path, "{\"delay\": 60, \"payload\": 1}"), 429, "topic-full");
        assertThat(accepted("small")).isEqualTo(1);
    }
}
