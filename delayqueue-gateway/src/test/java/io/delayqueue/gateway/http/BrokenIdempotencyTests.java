package io.delayqueue.gateway.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.RedisUnavailableException;
import io.delayqueue.gateway.testsupport.Gateway;
import io.delayqueue.gateway.testsupport.Gateway.Reply;
import io.delayqueue.spring.autoconfigure.DelayQueueOptionsCustomizer;
import io.delayqueue.test.EmbeddedRedis;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.core.RedisCallback;

/** Requests with an Idempotency-Key whose Redis is lost after the request was kept, and before its message is scheduled. */
@Tag("slow")
class BrokenIdempotencyTests {

    private static final AtomicReference<Runnable> BETWEEN = new AtomicReference<>(() -> {});

    private EmbeddedRedis redis;
    private Gateway gateway;

    @BeforeEach
    void start() {
        redis = EmbeddedRedis.builder().appendOnly().start();
        gateway = Gateway.start(
                Interrupted.class,
                redis,
                // a user that is still there after a restart
                "spring.data.redis.url=" + redis.uri(),
                "delayqueue.command-timeout=1s",
                "delayqueue.gateway.idempotency.lost=2s");
        // to connect may take longer than a command
        await().atMost(Duration.ofSeconds(60))
                .until(() -> gateway.send(
                                        "POST",
                                        "/topics/first/messages",
                                        "{\"delay\": 60, \"payload\": 1}",
                                        "Idempotency-Key",
                                        "\"first\"")
                                .status()
                        == 201);
    }

    @AfterEach
    void close() {
        BETWEEN.set(() -> {});
        gateway.close();
        redis.close();
    }

    private Reply schedule() throws Exception {
        return gateway.send(
                "POST",
                "/topics/orders/messages",
                "[{\"delay\": 60, \"payload\": 1}, {\"delay\": 60, \"payload\": 2}]",
                "Idempotency-Key",
                "\"k1\"");
    }

    /** If keeping the request takes longer than a command may, the request ends there, and its messages have no results. */
    private Reply scheduleUntilInBetween() {
        return await().atMost(Duration.ofSeconds(60))
                .until(this::schedule, reply -> reply.json().has("results"));
    }

    private long accepted() {
        return await().atMost(Duration.ofSeconds(60))
                .ignoreExceptionsInstanceOf(RedisUnavailableException.class)
                .until(() -> gateway.client().stats("orders"), told -> true)
                .totals()
                .accepted();
    }

    private static void once(Runnable between) {
        BETWEEN.set(() -> {
            BETWEEN.set(() -> {});
            between.run();
        });
    }

    private void assertRepeatSchedulesBothOnce() {
        Reply again = await().atMost(Duration.ofSeconds(60))
                .until(
                        this::schedule,
                        reply -> reply.status() == 200
                                && reply.json().at("/results/0/status").intValue() == 201
                                && reply.json().at("/results/1/status").intValue() == 201);
        await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
            Reply replayed = schedule();
            assertThat(replayed.header("Idempotent-Replayed")).isEqualTo("true");
            assertThat(replayed).hasToString(again.toString());
        });
        assertThat(accepted()).isEqualTo(2);
    }

    @Test
    void redisIsSilentInBetween() throws Exception {
        once(redis::pause);
        Reply first = scheduleUntilInBetween();
        redis.resume();

        // a batch tells of each of its messages
        assertThat(first.json().at("/results/0/status").intValue())
                .as("%s", first)
                .isEqualTo(503);
        assertRepeatSchedulesBothOnce();
    }

    @Test
    void redisIsDownInBetween() throws Exception {
        once(redis::kill);
        Reply first = scheduleUntilInBetween();
        redis.restart();

        assertThat(first.json().at("/results/0/status").intValue())
                .as("%s", first)
                .isEqualTo(503);
        assertRepeatSchedulesBothOnce();
    }

    @Test
    void redisIsFullInBetween() throws Exception {
        assertThat(gateway.send("POST", "/topics/orders/messages", "{\"delay\": 60, \"payload\": 1}")
                        .status())
                .isEqualTo(201);
        once(() -> memory("1"));
        Reply first = gateway.send(
                "POST", "/topics/orders/messages", "{\"delay\": 60, \"payload\": 1}", "Idempotency-Key", "\"k1\"");
        memory("0");
        assertThat(first.status()).as("%s", first).isEqualTo(503);

        Reply again = gateway.send(
                "POST", "/topics/orders/messages", "{\"delay\": 60, \"payload\": 1}", "Idempotency-Key", "\"k1\"");
        assertThat(again.status()).as("%s", again).isEqualTo(201);
        assertThat(again.header("Idempotent-Replayed")).isEmpty();
        assertThat(accepted()).isEqualTo(2);
    }

    @Test
    void redisIsFullBefore() throws Exception {
        memory("1");
        Reply first = schedule();
        memory("0");

        assertThat(first.status()).isEqualTo(503);
        assertThat(first.json().get("type").stringValue()).isEqualTo("urn:delayqueue:problem:redis-full");
        assertRepeatSchedulesBothOnce();
    }

    private void memory(String most) {
        gateway.data().execute((RedisCallback<Boolean>) (RedisConnection connection) -> {
            connection.serverCommands().setConfig("maxmemory", most);
            return true;
        });
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Interrupted {

        @Bean
        DelayQueueOptionsCustomizer interruption() {
            return options -> options.messageCheck(message -> BETWEEN.get().run());
        }
    }
}
