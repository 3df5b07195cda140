package io.delayqueue.spring.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.DeadLetter;
import io.delayqueue.MessageInfo;
import io.delayqueue.MessageState;
import io.delayqueue.TopicStats;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.actuate.endpoint.Sanitizer;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The endpoint's wire format, field by field. */
class DescriptorJsonTests {

    private static final Instant NOW = Instant.parse("2027-01-01T12:00:00Z");

    private final DescriptorMapper hiding = new DescriptorMapper(new Sanitizer(), false);
    private final DescriptorMapper showing = new DescriptorMapper(new Sanitizer(), true);

    @Test
    void topicHasItsNumbersInGroups() {
        TopicStats stats = new TopicStats(
                "orders",
                new TopicStats.Pending(3, 2, NOW.minusSeconds(5), NOW.plusSeconds(60)),
                1,
                4,
                new TopicStats.Totals(50, 30, 6, 3, 1, 7, 5, 8, 9, 10, 11),
                NOW,
                true);
        ListenerDescriptor listener = new ListenerDescriptor(
                "listener.on",
                true,
                false,
                true,
                1,
                10,
                new ListenerDescriptor.Settings(
                        Duration.ofSeconds(30), null, 3, "backoff", Duration.ofSeconds(20), true));

        assertThat(json(new TopicDescriptor(
                        hiding.stats(stats),
                        List.of(listener),
                        List.of(new InFlightDescriptor.Holder("host:17", 1, NOW)),
                        List.of())))
                .isEqualTo(tree("""
                        {
                          "stats": {
                            "paused": true,
                            "pending": {
                              "scheduled": 3,
                              "ready": 2,
                              "oldestReady": "2027-01-01T11:59:55Z",
                              "nextDue": "2027-01-01T12:01:00Z"
                            },
                            "inFlight": 1,
                            "dead": 4,
                            "totals": {
                              "accepted": 50,
                              "acked": 30,
                              "cancelled": 6,
                              "expired": 3,
                              "purged": 1,
                              "retried": 7,
                              "deadLettered": 5,
                              "redriven": 8,
                              "orphaned": 9,
                              "deferred": 10,
                              "postponed": 11
                            },
                            "unaccounted": 0,
                            "time": "2027-01-01T12:00:00Z"
                          },
                          "listeners": [
                            {
                              "id": "listener.on",
                              "running": true,
                              "paused": false,
                              "healthy": true,
                              "inFlight": 1,
                              "concurrency": 10,
                              "settings": {
                                "lease": "PT30S",
                                "timeout": null,
                                "maxAttempts": 3,
                                "backoff": "backoff",
                                "shutdownTimeout": "PT20S",
                                "autoStartup": true
                              }
                            }
                          ],
                          "holders": [
                            {"instance": "host:17", "messages": 1, "since": "2027-01-01T12:00:00Z"}
                          ],
                          "deadLetters": []
                        }
                        """));
    }

    @Test
    void messageHasAllItsFieldsIfValuesAreShown() {
        assertThat(json(showing.message(message(MessageState.DEAD)))).isEqualTo(tree("""
                        {
                          "topic": "orders",
                          "id": "o-1",
                          "state": "dead",
                          "time": "2027-01-01T12:00:00Z",
                          "due": "2027-01-01T12:01:00Z",
                          "attempt": 2,
                          "maxAttempts": 5,
                          "timeToLive": "PT1H",
                          "scheduledAt": "2027-01-01T11:00:00Z",
                          "leaseDeadline": "2027-01-01T12:00:30Z",
                          "deadLetteredAt": "2027-01-01T11:59:00Z",
                          "error": "can't read secret",
                          "priority": 7,
                          "payloadSize": 6,
                          "headers": {"a": "b", "token": "hush"},
                          "payload": "secret"
                        }
                        """));
    }

    @Test
    void messageHidesPayloadHeadersAndErrorOtherwise() {
        JsonNode json = json(hiding.message(message(MessageState.DEAD)));

        assertThat(json.get("payload").asString()).isEqualTo("******");
        assertThat(json.get("headers").toString()).isEqualTo("{\"a\":\"******\",\"token\":\"******\"}");
        assertThat(json.get("error").asString()).isEqualTo("******");
        assertThat(json.get("payloadSize").asInt()).isEqualTo(6);
        assertThat(json.toString()).doesNotContain("secret").doesNotContain("hush");
    }

    @Test
    void messageWithoutAnErrorHasNoneToHide() {
        MessageInfo ready = MessageInfo.of("orders", "o-1", MessageState.READY).build();

        assertThat(hiding.message(ready).error()).isNull();
    }

    @Test
    void payloadIsShownUpToALimit() {
        MessageInfo large = MessageInfo.of("orders", "o-1", MessageState.READY)
                .payload("x".repeat(10_001).getBytes(StandardCharsets.UTF_8))
                .build();

        assertThat(showing.message(large).payload()).hasSize(10_000);
        assertThat(showing.message(large).payloadSize()).isEqualTo(10_001);
    }

    @ParameterizedTest
    @EnumSource
    void stateIsTheTagOfTheMeters(MessageState state) {
        assertThat(showing.message(message(state)).state()).isIn("scheduled", "ready", "in_flight", "dead");
        assertThat(showing.message(message(state)).state()).isEqualToIgnoringCase(state.name());
    }

    @Test
    void deadLetterHidesItsErrorUnlessValuesAreShown() {
        DeadLetter letter = new DeadLetter(
                "orders",
                "o-1",
                "secret".getBytes(StandardCharsets.UTF_8),
                Map.of("token", "hush"),
                "can't read secret",
                3,
                NOW.minusSeconds(60),
                NOW);

        assertThat(json(showing.deadLetter(letter))).isEqualTo(tree("""
                        {
                          "id": "o-1",
                          "attempts": 3,
                          "error": "can't read secret",
                          "scheduledAt": "2027-01-01T11:59:00Z",
                          "deadLetteredAt": "2027-01-01T12:00:00Z",
                          "payloadSize": 6,
                          "headers": {"token": "hush"}
                        }
                        """));
        assertThat(json(hiding.deadLetter(letter)).toString())
                .contains("\"error\":\"******\"")
                .doesNotContain("secret")
                .doesNotContain("hush");
    }

    private static MessageInfo message(MessageState state) {
        return MessageInfo.of("orders", "o-1", state)
                .time(NOW)
                .due(NOW.plusSeconds(60))
                .attempt(2)
                .maxAttempts(5)
                .timeToLive(Duration.ofHours(1))
                .scheduledAt(NOW.minusSeconds(3600))
                .leaseDeadline(NOW.plusSeconds(30))
                .deadLetteredAt(NOW.minusSeconds(60))
                .error("can't read secret")
                .priority(7)
                .headers(Map.of("token", "hush", "a", "b"))
                .payload("secret".getBytes(StandardCharsets.UTF_8))
                .build();
    }

    private static JsonNode json(Object descriptor) {
        return tree(JsonMapper.shared().writeValueAsString(descriptor));
    }

    private static JsonNode tree(String json) {
        return JsonMapper.shared().readTree(json);
    }
}
