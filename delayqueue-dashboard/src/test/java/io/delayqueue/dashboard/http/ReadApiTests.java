package io.delayqueue.dashboard.http;

import static io.delayqueue.dashboard.testsupport.Dashboard.encoded;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.Delay;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.Subscription;
import io.delayqueue.dashboard.testsupport.Dashboard;
import io.delayqueue.dashboard.testsupport.Dashboard.Reply;
import io.delayqueue.dashboard.testsupport.Messages;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** Reads of topics by the page's requests, and the requests that are refused. */
@ExtendWith(EmbeddedRedisExtension.class)
class ReadApiTests {

    private static final String API = "/delayqueue/api";

    private static Dashboard dashboard;

    @BeforeAll
    static void start(EmbeddedRedis redis) {
        dashboard = Dashboard.start(redis);
    }

    @AfterAll
    static void close() {
        dashboard.close();
    }

    private static void schedule(String topic, String id, String payload, Delay delay) {
        dashboard
                .client()
                .schedule(OutgoingMessage.to(topic)
                        .id(id)
                        .payload(payload.getBytes(StandardCharsets.UTF_8))
                        .delay(delay)
                        .build());
    }

    @Test
    void overviewHasTheNumbersOfAllTopics() throws Exception {
        String topic = Messages.uniqueTopic();
        schedule(topic, "a", "1", Delay.of(Duration.ofHours(1)));
        schedule(topic, "b", "1", Delay.NONE);
        dashboard.client().pause(topic);

        // others may have read them a moment before
        JsonNode row = await().atMost(Duration.ofSeconds(30))
                .until(
                        () -> dashboard
                                .get(API + "/overview?q=" + topic.toUpperCase(Locale.ROOT))
                                .json()
                                .path("topics")
                                .path(0),
                        found -> found.path("paused").asBoolean());

        assertThat(row.path("topic").asString()).isEqualTo(topic);
        assertThat(row.path("scheduled").asInt()).isEqualTo(1);
        assertThat(row.path("ready").asInt()).isEqualTo(1);
        assertThat(row.path("paused").asBoolean()).isTrue();
        assertThat(row.path("attention").path(0).asString()).isEqualTo("paused");
        assertThat(row.path("oldestReady").asString()).endsWith("Z");
    }

    @Test
    void overviewIsSortedAndPaged() throws Exception {
        String prefix = Messages.uniqueTopic();
        for (int i = 0; i < 4; i++) {
            for (int k = 0; k <= i; k++) {
                schedule(prefix + i, "m" + k, "1", Delay.of(Duration.ofHours(1)));
            }
        }
        String query = API + "/overview?q=" + prefix + "&sort=";
        await().atMost(Duration.ofSeconds(30))
                .until(() -> names(query + "name", prefix).equals("0 1 2 3")
                        && dashboard
                                        .get(query + "scheduled")
                                        .json()
                                        .path("topics")
                                        .path(0)
                                        .path("scheduled")
                                        .asInt()
                                == 4);

        assertThat(names(query + "scheduled&limit=2", prefix)).isEqualTo("3 2");
        assertThat(names(query + "-scheduled&offset=1&limit=2", prefix)).isEqualTo("1 2");
        assertThat(names(query + "name", prefix)).isEqualTo("0 1 2 3");
        assertThat(names(query + "-name", prefix)).isEqualTo("3 2 1 0");
        assertThat(dashboard.get(query + "name&limit=1").json().path("matching").asInt())
                .isEqualTo(4);
    }

    private static String names(String query, String prefix) throws Exception {
        StringBuilder names = new StringBuilder();
        dashboard
                .get(query)
                .json()
                .path("topics")
                .forEach(row -> names.append(row.path("topic").asString().substring(prefix.length()))
                        .append(' '));
        return names.toString().strip();
    }

    @Test
    void topicHasItsPartsAndPages() throws Exception {
        String topic = Messages.uniqueTopic();
        for (int i = 0; i < 5; i++) {
            schedule(topic, "m" + i, "{}", Delay.of(Duration.ofMinutes(10 + i)));
        }

        JsonNode all =
                dashboard.get(API + "/topic?topic=" + topic + "&pendingLimit=2").json();
        JsonNode next = dashboard
                .get(API + "/topic?parts=pending&topic=" + topic + "&pendingLimit=4&pendingAfter="
                        + encoded(all.path("pending").path("next").asString()))
                .json();

        assertThat(all.path("failed").size()).isZero();
        assertThat(all.path("stats").path("scheduled").asInt()).isEqualTo(5);
        assertThat(all.path("load").path("due").size()).isEqualTo(60);
        assertThat(all.path("load")
                        .path("due")
                        .valueStream()
                        .mapToInt(JsonNode::asInt)
                        .sum())
                .isEqualTo(5);
        assertThat(all.path("pending").path("messages").path(0).path("id").asString())
                .isEqualTo("m0");
        assertThat(all.path("listeners").isArray()).isTrue();
        assertThat(next.has("stats")).isFalse();
        assertThat(next.path("pending").path("messages").path(0).path("id").asString())
                .isEqualTo("m2");
        assertThat(next.path("pending").path("messages").size()).isEqualTo(3);
        assertThat(next.path("pending").path("next").isNull()).isTrue();
    }

    @Test
    void deadLettersAreShownByTheirErrors() throws Exception {
        String topic = Messages.uniqueTopic();
        schedule(topic, "a", "{\"amount\": 1}", Delay.NONE);
        schedule(topic, "b", "{\"amount\": 2}", Delay.NONE);
        try (Subscription failing = Messages.failing(dashboard.client(), topic)) {
            await().atMost(Duration.ofSeconds(30))
                    .untilAsserted(
                            () -> assertThat(dashboard.client().stats(topic)).matches(stats -> stats.dead() == 2));
        }

        JsonNode view =
                dashboard.get(API + "/topic?parts=dead,errors&topic=" + topic).json();

        assertThat(view.path("errors").path("examined").asInt()).isEqualTo(2);
        assertThat(view.path("errors").path("groups").path(0).path("count").asInt())
                .isEqualTo(2);
        assertThat(view.path("errors").path("groups").path(0).path("error").asString())
                .contains("card # refused");
        JsonNode dead = view.path("dead").path("messages").path(0);
        assertThat(dead.path("error").asString()).contains("card 4711 refused");
        assertThat(dead.path("bytes").asInt()).isEqualTo(13);
        assertThat(dead.has("payload")).isFalse();
    }

    @Test
    void messagesInFlightAreShownWithTheirHolder() throws Exception {
        String topic = Messages.uniqueTopic();
        schedule(topic, "a", "1", Delay.NONE);
        CountDownLatch done = new CountDownLatch(1);
        try (Subscription waiting =
                Messages.consuming(dashboard.client(), topic, (message, delivery) -> done.await())) {
            await().atMost(Duration.ofSeconds(30))
                    .until(() -> dashboard.client().stats(topic).inFlight() == 1);

            JsonNode inFlight = dashboard
                    .get(API + "/topic?parts=inFlight&topic=" + topic)
                    .json()
                    .path("inFlight");
            done.countDown();

            assertThat(inFlight.path("total").asInt()).isEqualTo(1);
            assertThat(inFlight.path("messages").path(0).path("id").asString()).isEqualTo("a");
            assertThat(inFlight.path("messages").path(0).path("leaseDeadline").asString())
                    .endsWith("Z");
            assertThat(inFlight.path("holders").path(0).path("holder").asString())
                    .endsWith(":" + ProcessHandle.current().pid());
            assertThat(inFlight.path("holders").path(0).path("count").asInt()).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/overview?limit=0",
                "/overview?limit=201",
                "/overview?limit=x",
                "/overview?offset=-1",
                "/overview?sort=color",
                "/topic",
                "/topic?topic=t&parts=color",
                "/topic?topic=t&buckets=99",
                "/topic?topic=t&bucketMillis=0",
                "/topic?topic=t&pendingLimit=201",
                "/topic?topic=t&pendingAfter=x",
                "/topic?topic=t&deadOffset=10001",
                "/topic?topic=t&deadLimit=0",
                "/topic?topic=t&inFlightLimit=201",
                "/message?topic=t",
                "/message?id=a&topic=",
                "/payload?topic=t"
            })
    void wrongParametersAreRefused(String path) throws Exception {
        Reply refused = dashboard.get(API + path);

        assertThat(refused.status()).as(refused.toString()).isEqualTo(400);
        assertThat(refused.problem()).isEqualTo("invalid-request");
        assertThat(refused.header("Content-Type")).isEqualTo("application/problem+json");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/topic?topic=none",
                "/message?topic=none&id=a",
                "/payload?topic=none&id=a",
                "/raw?topic=none&id=a"
            })
    void nothingThereIsNotFound(String path) throws Exception {
        assertThat(dashboard.get(API + path).problem()).isEqualTo("not-found");
        assertThat(dashboard.get(API + path).status()).isEqualTo(404);
    }

    @Test
    void unknownPathsAndMethodsAreProblems() throws Exception {
        assertThat(dashboard.get(API + "/none").problem()).isEqualTo("no-such-path");
        Reply refused = dashboard.get(API + "/plan");
        assertThat(refused.status()).isEqualTo(405);
        assertThat(refused.header("Allow")).isEqualTo("POST");
        assertThat(refused.header("Content-Security-Policy")).isNotEmpty();
    }
}
