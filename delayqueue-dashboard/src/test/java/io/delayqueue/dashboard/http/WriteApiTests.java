package io.delayqueue.dashboard.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.Delay;
import io.delayqueue.MessageState;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.Subscription;
import io.delayqueue.dashboard.testsupport.Dashboard;
import io.delayqueue.dashboard.testsupport.Dashboard.Reply;
import io.delayqueue.dashboard.testsupport.Messages;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import java.net.http.HttpRequest.BodyPublishers;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** The changes that the page can make. */
@ExtendWith(EmbeddedRedisExtension.class)
class WriteApiTests {

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

    private static void schedule(String topic, String id, Duration delay) {
        dashboard
                .client()
                .schedule(OutgoingMessage.to(topic)
                        .id(id)
                        .payload(new byte[] {'1'})
                        .delay(Delay.of(delay))
                        .build());
    }

    private static void dead(String topic, String... ids) {
        long before = dashboard.client().stats(topic).dead();
        for (String id : ids) {
            schedule(topic, id, Duration.ZERO);
        }
        try (Subscription failing = Messages.failing(dashboard.client(), topic)) {
            await().atMost(Duration.ofSeconds(30))
                    .until(() -> dashboard.client().stats(topic).dead() == before + ids.length);
        }
    }

    private static JsonNode operation(String topic, String operation, String more) throws Exception {
        Reply reply = dashboard.post(
                API + "/operation", "{\"operation\": \"%s\", \"topic\": \"%s\"%s}".formatted(operation, topic, more));
        assertThat(reply.status()).as(reply.toString()).isEqualTo(200);
        return reply.json();
    }

    @Test
    void topicIsPausedAndResumed() throws Exception {
        String topic = Messages.uniqueTopic();
        schedule(topic, "a", Duration.ofHours(1));

        assertThat(operation(topic, "PAUSE", "").path("outcome").asString()).isEqualTo("DONE");
        assertThat(dashboard.client().stats(topic).paused()).isTrue();
        // what the page shows next is not what it shared before
        assertThat(dashboard
                        .get(API + "/topic?parts=stats&topic=" + topic)
                        .json()
                        .path("stats")
                        .path("paused")
                        .asBoolean())
                .isTrue();
        operation(topic, "RESUME", "");
        assertThat(dashboard.client().stats(topic).paused()).isFalse();
        assertThat(operation("none-" + topic, "PAUSE", "").path("outcome").asString())
                .isEqualTo("NOT_FOUND");
    }

    @Test
    void messageIsRescheduledRunAndCancelled() throws Exception {
        String topic = Messages.uniqueTopic();
        schedule(topic, "a", Duration.ofHours(1));

        operation(topic, "RESCHEDULE", ", \"id\": \"a\", \"delayMillis\": 7200000");
        assertThat(dashboard.client().pending(topic).list(1).get(0).due())
                .isAfter(dashboard.client().stats(topic).time().plus(Duration.ofMinutes(100)));
        operation(topic, "RUN_NOW", ", \"id\": \"a\"");
        assertThat(dashboard.client().find(topic, "a").orElseThrow().state()).isEqualTo(MessageState.READY);
        assertThat(operation(topic, "CANCEL", ", \"id\": \"a\"").path("count").asInt())
                .isEqualTo(1);
        assertThat(dashboard.client().find(topic, "a")).isEmpty();
    }

    @Test
    void bulkOperationTakesWhatItsPlanCounted() throws Exception {
        String topic = Messages.uniqueTopic();
        dead(topic, "a", "b");
        JsonNode plan = dashboard
                .post(API + "/plan", "{\"operation\": \"PURGE_DEAD_LETTERS\", \"topic\": \"" + topic + "\"}")
                .json();
        assertThat(plan.path("count").asInt()).isEqualTo(2);
        dead(topic, "later");
        String start = "{\"token\": \"" + plan.path("token").asString() + "\", \"ratePerSecond\": 100}";

        dashboard.post(API + "/start", start);
        await().atMost(Duration.ofSeconds(30))
                .until(() -> job(topic).path("state").asString().equals("DONE"));
        Reply again = dashboard.post(API + "/start", start);

        assertThat(again.json().path("changed").asInt()).isEqualTo(2);
        assertThat(dashboard.client().deadLetters(topic).list(0, 10))
                .singleElement()
                .matches(letter -> letter.id().equals("later"));
        assertThat(dashboard
                        .get(API + "/activity")
                        .json()
                        .path("jobs")
                        .path(0)
                        .path("planned")
                        .asInt())
                .isEqualTo(2);
    }

    private static JsonNode job(String topic) throws Exception {
        return dashboard
                .get(API + "/topic?parts=jobs&topic=" + topic)
                .json()
                .path("jobs")
                .path(0);
    }

    @Test
    void bulkOperationIsStopped() throws Exception {
        String topic = Messages.uniqueTopic();
        for (int i = 0; i < 20; i++) {
            schedule(topic, "m" + i, Duration.ofHours(1));
        }
        String token = dashboard
                .post(API + "/plan", "{\"operation\": \"PURGE_PENDING\", \"topic\": \"" + topic + "\"}")
                .json()
                .path("token")
                .asString();

        dashboard.post(API + "/start", "{\"token\": \"" + token + "\", \"ratePerSecond\": 1}");
        dashboard.post(API + "/stop", "{\"token\": \"" + token + "\"}");

        await().atMost(Duration.ofSeconds(30))
                .until(() -> job(topic).path("state").asString().equals("STOPPED"));
        assertThat(dashboard.client().stats(topic).pending().scheduled()).isBetween(10L, 20L);
    }

    @Test
    void operationsAreOnTheTrail() throws Exception {
        String topic = Messages.uniqueTopic();
        operation(topic, "CANCEL", ", \"id\": \"gone\"");

        JsonNode latest = dashboard.get(API + "/activity").json().path("events").path(0);

        assertThat(latest.path("operation").asString()).isEqualTo("CANCEL");
        assertThat(latest.path("outcome").asString()).isEqualTo("NOT_FOUND");
        assertThat(latest.path("caller").asString()).isEqualTo("anonymous");
        assertThat(latest.path("ids").path(0).asString()).isEqualTo("gone");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "null",
                "[]",
                "{}",
                "{\"topic\": \"t\"}",
                "{\"operation\": \"PAUSE\"}",
                "{\"operation\": \"BREAK\", \"topic\": \"t\"}",
                "{\"operation\": \"PAUSE\", \"topic\": \"t\", \"color\": 1}",
                "{\"operation\": \"PAUSE\", \"topic\": \"t\"} x",
                "{\"operation\": \"CANCEL\", \"topic\": \"t\"}",
                "{\"operation\": \"PURGE_PENDING\", \"topic\": \"t\", \"ids\": []}",
                "{\"operation\": \"RESCHEDULE\", \"topic\": \"t\", \"id\": \"a\"}",
                "{\"operation\": \"RESCHEDULE\", \"topic\": \"t\", \"id\": \"a\", \"delayMillis\": -1}",
                "{\"operation\": \"RESCHEDULE\", \"topic\": \"t\", \"id\": \"a\", \"due\": \"soon\"}"
            })
    void wrongBodiesAreRefused(String body) throws Exception {
        Reply refused = dashboard.post(API + "/operation", body);

        assertThat(refused.status()).as(refused.toString()).isEqualTo(400);
        assertThat(refused.problem()).isEqualTo("invalid-request");
    }

    @Test
    void largeBodyIsRefused() throws Exception {
        assertThat(dashboard
                        .post(API + "/operation", " ".repeat(1024 * 1024 + 1))
                        .problem())
                .isEqualTo("body-too-large");
    }

    @Test
    void unknownPlanIsNotFound() throws Exception {
        assertThat(dashboard.post(API + "/start", "{\"token\": \"none\"}").status())
                .isEqualTo(404);
        assertThat(dashboard.post(API + "/stop", "{\"token\": \"none\"}").problem())
                .isEqualTo("not-found");
    }

    @Test
    void planOfAnotherInstanceIsNotFoundAndTheAnswerSaysWhy(EmbeddedRedis redis) throws Exception {
        String topic = Messages.uniqueTopic();
        schedule(topic, "a", Duration.ofHours(1));
        String token = dashboard
                .post(API + "/plan", "{\"operation\": \"PURGE_PENDING\", \"topic\": \"" + topic + "\"}")
                .json()
                .path("token")
                .asString();
        String body = "{\"token\": \"" + token + "\"}";

        try (Dashboard another = Dashboard.start(redis)) {
            for (String path : List.of("/start", "/stop")) {
                Reply refused = another.post(API + path, body);
                assertThat(refused.status()).as(path).isEqualTo(404);
                assertThat(refused.problem()).as(path).isEqualTo("not-found");
                assertThat(refused.json().path("detail").asString())
                        .as(path)
                        .contains("belongs to another instance; plan again");
            }
            assertThat(dashboard.client().stats(topic).pending().scheduled()).isEqualTo(1);

            dashboard.post(API + "/start", body);
            await().atMost(Duration.ofSeconds(30))
                    .until(() -> job(topic).path("state").asString().equals("DONE"));
            assertThat(another.get(API + "/activity").json().path("jobs").findValuesAsString("token"))
                    .doesNotContain(token);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "-1", "100001", "1.5", "4294967297", "\"fast\""})
    void wrongRateStartsNothing(String rate) throws Exception {
        String topic = Messages.uniqueTopic();
        schedule(topic, "a", Duration.ofHours(1));
        String token = dashboard
                .post(API + "/plan", "{\"operation\": \"PURGE_PENDING\", \"topic\": \"" + topic + "\"}")
                .json()
                .path("token")
                .asString();

        Reply refused =
                dashboard.post(API + "/start", "{\"token\": \"" + token + "\", \"ratePerSecond\": " + rate + "}");

        assertThat(refused.status()).as(refused.toString()).isEqualTo(400);
        assertThat(refused.problem()).isEqualTo("invalid-request");
        assertThat(job(topic).isMissingNode()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"cross-site", "same-site", "none", ""})
    void requestsOfOtherSitesAreRefused(String site) throws Exception {
        String topic = Messages.uniqueTopic();
        schedule(topic, "a", Duration.ofHours(1));
        String body = "{\"operation\": \"PAUSE\", \"topic\": \"" + topic + "\"}";

        Reply refused = site.isEmpty()
                ? dashboard.send(dashboard
                        .request(API + "/operation", "Content-Type", "application/json")
                        .POST(BodyPublishers.ofString(body))
                        .build())
                : dashboard.post(API + "/operation", body, "Sec-Fetch-Site", site);

        assertThat(refused.status()).isEqualTo(403);
        assertThat(refused.problem()).isEqualTo("cross-site");
        assertThat(dashboard.client().stats(topic).paused()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"text/plain", "application/x-www-form-urlencoded", "x"})
    void bodiesThatFormsSendAreRefused(String type) throws Exception {
        assertThat(dashboard
                        .post(API + "/operation", "{}", "Content-Type", type)
                        .problem())
                .isEqualTo("unsupported-media-type");
    }
}
