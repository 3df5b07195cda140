package io.delayqueue.dashboard.http;

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

/** Fields that the properties mask, or do not allow, are in no answer. */
@ExtendWith(EmbeddedRedisExtension.class)
class MaskingTests {

    private static final String API = "/delayqueue/api";
    private static final String JSON = "{\"order\":{\"id\":17,\"cardNumber\":4711},\"name\":\"Ann\"}";

    private static Dashboard dashboard;

    private final String topic = Messages.uniqueTopic();

    @BeforeAll
    static void start(EmbeddedRedis redis) {
        dashboard = Dashboard.start(
                redis,
                "delayqueue.dashboard.show-fields=order, tenant, card-number",
                "delayqueue.dashboard.mask-fields=card-number");
    }

    @AfterAll
    static void close() {
        dashboard.close();
    }

    private Reply get(String path, String payload) throws Exception {
        dashboard
                .client()
                .schedule(OutgoingMessage.to(topic)
                        .id("a")
                        .payload(payload.getBytes(StandardCharsets.UTF_8))
                        .header("Tenant", "blue")
                        .header("Card_Number", "4711")
                        .header("customer", "Ann")
                        .delay(Delay.of(Duration.ofHours(1)))
                        .build());
        return dashboard.get(API + path + "?id=a&topic=" + topic);
    }

    @Test
    void payloadHasAllowedFieldsThatAreNotMasked() throws Exception {
        JsonNode payload = get("/payload", JSON).json();

        assertThat(payload.path("text").asString())
                .contains("\"id\": 17", "\"cardNumber\": \"******\"", "\"name\": \"******\"")
                .doesNotContain("4711", "Ann");
        assertThat(payload.path("maskedFields").asInt()).isEqualTo(2);
    }

    @Test
    void downloadIsMaskedLikewise() throws Exception {
        Reply download = get("/raw", JSON);

        assertThat(download.header("Content-Disposition")).startsWith("attachment;");
        assertThat(download.text()).contains("\"id\": 17").doesNotContain("4711", "Ann");
    }

    @Test
    void headersAreMaskedLikewise() throws Exception {
        Reply message = get("/message", JSON);

        assertThat(message.text()).contains("\"blue\"").doesNotContain("4711", "Ann");
    }

    @Test
    void payloadThatIsNoJsonIsNeitherShownNorDownloaded() throws Exception {
        String text = "card-number=4711";

        JsonNode payload = get("/payload", text).json();
        Reply download = dashboard.get(API + "/raw?id=a&topic=" + topic);

        assertThat(payload.path("kind").asString()).isEqualTo("hidden");
        assertThat(payload.toString()).doesNotContain("4711");
        assertThat(download.status()).isGreaterThanOrEqualTo(400);
        assertThat(download.problem()).isEqualTo("masked");
        assertThat(download.text()).doesNotContain("4711");
    }
}
