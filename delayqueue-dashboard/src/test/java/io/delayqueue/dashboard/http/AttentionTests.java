package io.delayqueue.dashboard.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.OutgoingMessage;
import io.delayqueue.Subscription;
import io.delayqueue.dashboard.testsupport.Dashboard;
import io.delayqueue.dashboard.testsupport.Messages;
import io.delayqueue.spring.annotation.DelayQueueListener;
import io.delayqueue.spring.annotation.RetryBackoff;
import io.delayqueue.spring.listener.DelayQueueListenerContainer;
import io.delayqueue.spring.listener.DelayQueueListenerEndpointRegistry;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.core.StringRedisTemplate;
import tools.jackson.databind.JsonNode;

/** Troubles of whole instances, as Redis and this instance know them. */
@ExtendWith(EmbeddedRedisExtension.class)
class AttentionTests {

    private static final String API = "/delayqueue/api";
    private static final double LONG_AGO = 1_000_000;

    private static Dashboard dashboard;

    private final String topic = Messages.uniqueTopic();

    @BeforeAll
    static void start(EmbeddedRedis redis) {
        dashboard = Dashboard.withBeans(Listening.class, redis);
    }

    @AfterAll
    static void close() {
        dashboard.close();
    }

    private static StringRedisTemplate redis() {
        return dashboard.context().getBean(StringRedisTemplate.class);
    }

    private String key(String kind) {
        return "dq:{" + topic + ":0}:" + kind;
    }

    private void schedule() {
        dashboard
                .client()
                .schedule(OutgoingMessage.to(topic)
                        .id("a")
                        .payload(new byte[1])
                        .delay(Duration.ofHours(1))
                        .build());
    }

    private static List<JsonNode> attention(String topic) throws Exception {
        return dashboard
                .get(API + "/overview")
                .json()
                .path("attention")
                .valueStream()
                .filter(item -> item.path("topic").asString().equals(topic))
                .toList();
    }

    private static JsonNode only(String topic, String kind) {
        return await().atMost(Duration.ofSeconds(30))
                .until(
                        () -> attention(topic),
                        found -> found.size() == 1
                                && found.get(0).path("kind").asString().equals(kind))
                .get(0);
    }

    private static JsonNode told(String topic, String kind) {
        return await().atMost(Duration.ofSeconds(30))
                .until(
                        () -> attention(topic).stream()
                                .filter(item -> item.path("kind").asString().equals(kind))
                                .findFirst(),
                        Optional::isPresent)
                .orElseThrow();
    }

    @Test
    void listenerThatStoppedIsReportedUntilItStarts() throws Exception {
        DelayQueueListenerContainer listener = dashboard
                .context()
                .getBean(DelayQueueListenerEndpointRegistry.class)
                .container("postman")
                .orElseThrow();
        assertThat(attention("letters")).isEmpty();

        listener.stop(Duration.ofSeconds(1));

        assertThat(only("letters", "listenerStopped").path("listener").asString())
                .isEqualTo("postman");
        assertThat(dashboard
                        .get(API + "/topic?topic=letters")
                        .json()
                        .path("history")
                        .path("attention")
                        .findValuesAsString("kind"))
                .containsExactly("listenerStopped");
        listener.start();
        await().atMost(Duration.ofSeconds(30))
                .untilAsserted(() -> assertThat(attention("letters")).isEmpty());
    }

    /** As a process leaves it that was killed while it held a message, if it was the only one. */
    @Test
    void instanceThatStoppedIsReportedByItsLeasesThatEnded() {
        schedule();
        redis().opsForZSet().remove(key("scheduled"), "a");
        redis().opsForZSet().add(key("leased"), "a", LONG_AGO);
        assertThat(dashboard.client().stats(topic).inFlight()).isEqualTo(1);
        assertThat(dashboard.client().stats(topic).unaccounted()).isZero();

        JsonNode expired = only(topic, "leasesExpired");

        assertThat(expired.path("count").asInt()).isEqualTo(1);
        assertThat(expired.path("since").asString()).isEqualTo("1970-01-01T00:00:01Z");
    }

    @Test
    void listenerThatLacksHandlerSlotsIsUnhealthyUntilItsHandlersEnd() throws Exception {
        for (int i = 0; i < 5; i++) {
            dashboard
                    .client()
                    .schedule(OutgoingMessage.to("parcels")
                            .payload("x".getBytes())
                            .build());
        }
        try {
            assertThat(told("parcels", "listenerUnhealthy").path("listener").asString())
                    .isEqualTo("stubborn");
        } finally {
            dashboard.context().getBean(Stubborn.class).released.countDown();
        }

        await().atMost(Duration.ofSeconds(30))
                .untilAsserted(() -> assertThat(attention("parcels")).isEmpty());
    }

    @Test
    void deadLettersThatGrowAreReported() throws Exception {
        schedule();
        String view = API + "/topic?topic=" + topic;
        await().atMost(Duration.ofSeconds(30))
                .until(() -> !dashboard
                        .get(view)
                        .json()
                        .path("history")
                        .path("lateness")
                        .isEmpty());
        for (int i = 0; i < 3; i++) {
            dashboard
                    .client()
                    .schedule(OutgoingMessage.to(topic).payload(new byte[1]).build());
        }

        try (Subscription failing = Messages.failing(dashboard.client(), topic)) {
            await().atMost(Duration.ofSeconds(30))
                    .until(() -> dashboard.client().stats(topic).dead() == 3);
        }

        // samples between the first one and the third tell of fewer
        JsonNode growing = await().atMost(Duration.ofSeconds(30))
                .until(
                        () -> told(topic, "deadGrowing"),
                        item -> item.path("count").asInt() == 3);
        assertThat(growing.path("since").asString()).endsWith("Z");
        assertThat(dashboard.get(view).json().path("history").path("attention").findValuesAsString("kind"))
                .containsExactly("deadGrowing");
    }

    @Test
    void messagesThatNobodyTakesAreOverdue() {
        schedule();
        redis().opsForZSet().add(key("scheduled"), "a", LONG_AGO);

        assertThat(only(topic, "overdue").path("count").asInt()).isEqualTo(1);
    }

    @Test
    void lostMessagesAreUnaccountedFor() {
        schedule();
        redis().opsForHash().increment(key("meta"), "accepted", 3);

        assertThat(only(topic, "unaccounted").path("count").asInt()).isEqualTo(3);
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Listening {
        @Bean
        Letters letters() {
            return new Letters();
        }

        @Bean
        Stubborn stubborn() {
            return new Stubborn();
        }
    }

    static class Letters {
        @DelayQueueListener(id = "postman", topic = "letters")
        void on(String letter) {}
    }

    /** Handlers that ignore the end of their time keep their slots. */
    static class Stubborn {

        final CountDownLatch released = new CountDownLatch(1);

        @DelayQueueListener(
                id = "stubborn",
                topic = "parcels",
                concurrency = "1",
                timeout = "50ms",
                maxAttempts = "1000",
                backoff = @RetryBackoff(initial = "100ms", max = "100ms"))
        void on(String parcel) {
            while (released.getCount() > 0) {
                try {
                    released.await();
                } catch (InterruptedException e) {
                    // ignored, as the listener of this test does
                }
            }
        }
    }
}
