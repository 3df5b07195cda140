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

/** What the page reads. */
@ExtendWith(EmbeddedRedisExtension.class)
class ReadApiTests {

    private static final String API = "/delayqueue/api";
    private static final String HOSTILE = "a/..;%2F\"<script>alert(1)</script>'";

    private static Dashboard dashboard;

    @BeforeAll
    static void start(EmbeddedRedis redis) {
        dashboard = Dashboard.start(redis, "delayqueue.dashboard.max-payload=2KB", "delayqueue.dashboard.max-nodes=50");
    }

    @AfterAll
    static void close() {
        dashboard.close();
    }

    private static void schedule(String topic, String id, String payload, Delay delay) {
        dashboard.client().schedule(message(topic, id, payload, delay).build());
    }

    private static OutgoingMessage.Builder message(String topic, String id, String payload, Delay delay) {
        return OutgoingMessage.to(topic)
                .id(id)
                .payload(payload.getBytes(StandardCharsets.UTF_8))
                .delay(delay);
    }

    private static String message(String path, String topic, String id) {
        return API + path + "?topic=" + encoded(topic) + "&id=" + encoded(id);
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

    @Test
    void messageIsFoundOverTopics() throws Exception {
        String topic = Messages.uniqueTopic();
        schedule(topic + 1, topic, "1", Delay.of(Duration.ofHours(1)));
        schedule(topic + 2, topic, "1", Delay.NONE);

        JsonNode search = dashboard.get(API + "/search?id=" + topic).json();

        assertThat(search.path("found").findValuesAsString("topic")).containsExactlyInAnyOrder(topic + 1, topic + 2);
        assertThat(search.path("found").findValuesAsString("state")).containsExactlyInAnyOrder("SCHEDULED", "READY");
        assertThat(search.path("missingTotal").asInt()).isZero();
        assertThat(search.path("searched").asInt()).isGreaterThanOrEqualTo(2);
        assertThat(dashboard.get(API + "/search?id=").status()).isEqualTo(400);
    }

    @Test
    void hostileNamesAreData() throws Exception {
        schedule(HOSTILE, HOSTILE, "\"<script>\"", Delay.of(Duration.ofHours(1)));

        JsonNode view = dashboard.get(message("/message", HOSTILE, HOSTILE)).json();
        Reply download = dashboard.get(message("/raw", HOSTILE, HOSTILE));

        assertThat(view.path("id").asString()).isEqualTo(HOSTILE);
        assertThat(view.path("message").path("state").asString()).isEqualTo("SCHEDULED");
        assertThat(dashboard
                        .get(API + "/topic?parts=pending&topic=" + encoded(HOSTILE))
                        .json()
                        .path("pending")
                        .path("messages")
                        .path(0)
                        .path("id")
                        .asString())
                .isEqualTo(HOSTILE);
        assertThat(download.header("Content-Disposition")).matches("attachment; filename=\"[A-Za-z0-9_-]+\\.bin\"");
        assertThat(download.header("Content-Type")).isEqualTo("application/octet-stream");
        assertThat(download.header("X-Content-Type-Options")).isEqualTo("nosniff");
        assertThat(download.text()).isEqualTo("\"<script>\"");
    }

    @Test
    void headersAreShownWithoutEnd() throws Exception {
        String topic = Messages.uniqueTopic();
        dashboard
                .client()
                .schedule(message(topic, "a", "1", Delay.of(Duration.ofHours(1)))
                        .header("long", "x".repeat(10_000))
                        .header("short", "<b>")
                        .build());

        JsonNode headers = dashboard
                .get(message("/message", topic, "a"))
                .json()
                .path("message")
                .path("headers");

        assertThat(headers.path(0).path("value").asString()).hasSize(1_001);
        assertThat(headers.path(0).path("truncated").asBoolean()).isTrue();
        assertThat(headers.path(1).path("value").asString()).isEqualTo("<b>");
    }

    @Test
    void payloadIsPrettyExactAndBounded() throws Exception {
        String topic = Messages.uniqueTopic();
        schedule(topic, "exact", "{\"n\":12345678901234567890.10,\"e\":1E400}", Delay.of(Duration.ofHours(1)));
        schedule(topic, "large", "{\"a\":\"" + "x".repeat(1_000_000) + "\"}", Delay.of(Duration.ofHours(1)));
        schedule(topic, "many", "[" + "1,".repeat(10_000) + "1]", Delay.of(Duration.ofHours(1)));
        schedule(topic, "deep", "[".repeat(400) + "]".repeat(400), Delay.of(Duration.ofHours(1)));

        assertThat(dashboard
                        .get(message("/payload", topic, "exact"))
                        .json()
                        .path("text")
                        .asString())
                .isEqualTo("{\n  \"n\": 12345678901234567890.10,\n  \"e\": 1E400\n}");
        for (String id : new String[] {"large", "many", "deep"}) {
            JsonNode shown = dashboard.get(message("/payload", topic, id)).json();
            assertThat(shown.path("truncated").asBoolean()).as(id).isTrue();
            assertThat(shown.path("kind").asString()).as(id).isEqualTo("json");
            assertThat(shown.path("text").asString().length()).as(id).isBetween(50, 8_000);
        }
        assertThat(dashboard.get(message("/raw", topic, "large")).response().body())
                .hasSize(1_000_008);
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
