package io.delayqueue.dashboard.http;

import static io.delayqueue.dashboard.testsupport.Dashboard.encoded;
import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.Delay;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.dashboard.testsupport.Dashboard;
import io.delayqueue.dashboard.testsupport.Dashboard.Reply;
import io.delayqueue.dashboard.testsupport.Messages;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import tools.jackson.databind.JsonNode;

/** Reads of single messages by the page's requests, whatever their names and contents. */
@ExtendWith(EmbeddedRedisExtension.class)
class MessageApiTests {

    private static final String API = "/delayqueue/api";
    private static final String HOSTILE = "a/..;%2F\"<script>alert(1)</script>'";

    private static Dashboard dashboard;

    @BeforeAll
    static void start(EmbeddedRedis redis) {
        dashboard = Dashboard.start(
                redis,
                "delayqueue.command-timeout=20s",
                "delayqueue.dashboard.max-payload=2KB",
                "delayqueue.dashboard.max-nodes=50");
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
}
