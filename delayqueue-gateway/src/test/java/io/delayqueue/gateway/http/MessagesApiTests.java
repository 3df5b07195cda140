package io.delayqueue.gateway.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.MessageInfo;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.gateway.testsupport.Gateway;
import io.delayqueue.gateway.testsupport.Gateway.Reply;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

@ExtendWith(EmbeddedRedisExtension.class)
class MessagesApiTests {

    private static final String ORDERS = "/topics/orders/messages";

    private static Gateway gateway;

    @BeforeAll
    static void start(EmbeddedRedis redis) {
        gateway = Gateway.start(
                redis,
                "delayqueue.gateway.max-body=128KB",
                "delayqueue.gateway.max-batch=3",
                "delayqueue.max-payload=1KB");
    }

    @AfterAll
    static void close() {
        gateway.close();
    }

    @Test
    void messageIsScheduledWithAllItsOptions() throws Exception {
        Instant before = Instant.now();
        Reply reply = gateway.send("POST", ORDERS, """
                {"id": "o 1", "delay": "PT30M", "priority": 7, "timeToLive": 60.5, "maxAttempts": 5,
                 "headers": {"tenant": "a"}, "payload": {"total": 1.10, "big": 12345678901234567890}}""");

        assertThat(reply.status()).as("%s", reply).isEqualTo(201);
        assertThat(reply.header("Location")).isEqualTo("/delayqueue/v1/topics/orders/messages/o%201");
        assertThat(reply.json().get("outcome").stringValue()).isEqualTo("scheduled");
        assertThat(Instant.parse(reply.json().get("due").stringValue()))
                .isBetween(before.plus(Duration.ofMinutes(29)), Instant.now().plus(Duration.ofMinutes(31)));
        MessageInfo message = gateway.client().find("orders", "o 1").orElseThrow();
        assertThat(message.priority()).isEqualTo(7);
        assertThat(message.timeToLive()).isEqualTo(Duration.ofMillis(60_500));
        assertThat(message.maxAttempts()).isEqualTo(5);
        assertThat(message.headers()).containsEntry("tenant", "a").containsEntry("content-type", "application/json");
        assertThat(new String(message.payload(), StandardCharsets.UTF_8))
                .isEqualTo("{\"total\":1.10,\"big\":12345678901234567890}");
    }

    @Test
    void duplicateIsAConflictAndSaysTheStateOfTheOther() throws Exception {
        gateway.send("POST", ORDERS, "{\"id\": \"o1\", \"delay\": 60, \"payload\": 1}");

        Reply rejected = gateway.send("POST", ORDERS, "{\"id\": \"o1\", \"payload\": 2}");
        assertThat(rejected.status()).isEqualTo(409);
        assertThat(rejected.header("Content-Type")).startsWith("application/problem+json");
        assertThat(rejected.json().get("type").stringValue()).isEqualTo("urn:delayqueue:problem:duplicate");
        assertThat(rejected.json().get("existing").stringValue()).isEqualTo("scheduled");

        Reply kept = gateway.send("POST", ORDERS, "{\"id\": \"o1\", \"payload\": 2, \"ifExists\": \"keep\"}");
        assertThat(kept.status()).isEqualTo(200);
        Reply replaced = gateway.send(
                "POST", ORDERS, "{\"id\": \"o1\", \"payload\": 2, \"delay\": 9, \"ifExists\": \"replace\"}");
        assertThat(replaced.status()).isEqualTo(200);
        assertThat(replaced.json().get("outcome").stringValue()).isEqualTo("replaced");
        assertThat(gateway.client().find("orders", "o1").orElseThrow().payload())
                .containsExactly('2');
    }

    @Test
    void arrayHasAResultForEachMessage() throws Exception {
        Reply reply = gateway.send("POST", ORDERS, """
                [{"id": "a", "delay": 60, "payload": null}, {"delay": -1, "payload": 1}, {"id": "a", "payloadBase64": "AAE="}]""");

        assertThat(reply.status()).as("%s", reply).isEqualTo(200);
        assertThat(reply.json().at("/results/0/status").intValue()).isEqualTo(201);
        assertThat(reply.json().at("/results/1/problem/field").stringValue()).isEqualTo("delay");
        assertThat(reply.json().at("/results/2/status").intValue()).isEqualTo(409);
        assertThat(gateway.client().stats("orders").totals().accepted()).isEqualTo(1);
    }

    @Test
    void payloadThatIsTooLargeFailsAlone() throws Exception {
        Reply reply = gateway.send(
                "POST", ORDERS, "[{\"payload\": \"" + "x".repeat(1_100) + "\"}, {\"payload\": 1, \"delay\": 60}]");

        assertThat(reply.json().at("/results/0/status").intValue())
                .as("%s", reply)
                .isEqualTo(400);
        assertThat(reply.json().at("/results/0/problem/field").stringValue()).isEqualTo("payload");
        assertThat(reply.json().at("/results/1/status").intValue()).isEqualTo(201);
    }

    @Test
    void arrayThatEndsTooEarlySchedulesNothing() throws Exception {
        Reply reply = gateway.send("POST", ORDERS, "[{\"payload\": 1}, {\"payload\": 2}, {\"payload\": ");

        assertThat(reply.status()).isEqualTo(400);
        assertThat(gateway.client().stats("orders").totals().accepted()).isZero();
    }

    @Test
    void bytesAreStoredAsTheyWereBeforeBase64() throws Exception {
        Reply reply = gateway.send(
                "POST",
                ORDERS,
                "{\"id\": \"b\", \"payloadBase64\": \"AAH/\", \"dueAt\": \"2040-01-01T01:00:00+01:00\"}");

        assertThat(reply.status()).as("%s", reply).isEqualTo(201);
        assertThat(reply.json().get("due").stringValue()).isEqualTo("2040-01-01T00:00:00Z");
        MessageInfo message = gateway.client().find("orders", "b").orElseThrow();
        assertThat(message.payload()).containsExactly(0, 1, -1);
        assertThat(message.due()).isEqualTo(Instant.parse("2040-01-01T00:00:00Z"));
    }

    @Test
    void messageWithoutAnIdGetsOne() throws Exception {
        Reply reply = gateway.send("POST", ORDERS, "{\"delay\": 60, \"payload\": null}");

        String id = reply.json().get("id").stringValue();
        assertThat(reply.header("Location")).isEqualTo("/delayqueue/v1/topics/orders/messages/" + id);
        Reply found = gateway.send("GET", ORDERS + "/" + id);
        assertThat(found.json().get("payload").isNull()).as("%s", found).isTrue();
    }

    @Test
    void headersOfAMessageAreBounded() throws Exception {
        Reply reply = gateway.send(
                "POST", ORDERS, "{\"payload\": 1, \"headers\": {\"a\": \"" + "x".repeat(65 * 1024) + "\"}}");

        assertThat(reply.status()).as("%s", reply).isEqualTo(400);
        assertThat(reply.json().get("field").stringValue()).isEqualTo("headers");
        assertThat(gateway.client().stats("orders").totals().accepted()).isZero();
    }

    @Test
    void messageInFlightIsNeitherCancelledNorMoved() throws Exception {
        gateway.send("POST", ORDERS, "{\"id\": \"o1\", \"payload\": 1}");
        Reply claimed = gateway.send("POST", "/topics/orders/claims", "{\"wait\": 30, \"lease\": 600}");
        assertThat(claimed.json().get("messages").size()).isEqualTo(1);

        for (Reply refused : List.of(
                gateway.send("DELETE", ORDERS + "/o1"), gateway.send("PATCH", ORDERS + "/o1", "{\"delay\": 60}"))) {
            assertThat(refused.status()).as("%s", refused).isEqualTo(409);
            assertThat(refused.json().get("type").stringValue()).isEqualTo("urn:delayqueue:problem:in-flight");
        }
        assertThat(gateway.client().stats("orders").inFlight()).isEqualTo(1);
    }

    @Test
    void payloadsAreForNoCache() throws Exception {
        assertThat(gateway.send("GET", ORDERS + "/o1").header("Cache-Control")).isEqualTo("no-store");
    }

    @Test
    void tooManyMessagesAreRefusedBeforeTheFirstIsScheduled() throws Exception {
        String message = "{\"payload\": 1}";
        Reply reply = gateway.send("POST", ORDERS, "[" + String.join(",", message, message, message, message) + "]");

        assertThat(reply.status()).isEqualTo(400);
        assertThat(gateway.client().stats("orders").totals().accepted()).isZero();
    }

    @Test
    void bodyThatIsTooLargeIsRefused() throws Exception {
        Reply reply = gateway.send("POST", ORDERS, "{\"payload\": \"" + "x".repeat(130 * 1024) + "\"}");

        assertThat(reply.status()).isEqualTo(413);
        assertThat(gateway.client().stats("orders").totals().accepted()).isZero();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    {"payload": 1, "delay": "soon"}         | delay
                    {"payload": 1, "delay": -0.001}         | delay
                    {"payload": 1, "delay": 1e999999999}    | delay
                    {"payload": 1, "dueAt": "tomorrow"}     | dueAt
                    {"payload": 1, "priority": 10}          | priority
                    {"payload": 1, "priority": 1.5}         | priority
                    {"payload": 1, "timeToLive": 0}         | timeToLive
                    {"payload": 1, "maxAttempts": 0}        | maxAttempts
                    {"payload": 1, "headers": {"a": 1}}     | headers.a
                    {"payload": 1, "headers": {" ": "a"}}   | headers
                    {"payload": 1, "ifExists": "maybe"}     | ifExists
                    {"payload": 1, "id": ""}                | id
                    {"payload": 1, "later": true}           | later
                    {"payload": 1, "payloadBase64": ""}     | payload
                    {"payloadBase64": "!"}                  | payloadBase64
                    {}                                      | payload
                    """)
    void problemNamesTheField(String body, String field) throws Exception {
        Reply reply = gateway.send("POST", ORDERS, body);

        assertThat(reply.status()).as("%s", reply).isEqualTo(400);
        assertThat(reply.json().get("field").stringValue()).isEqualTo(field);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            {"payload": 1                | 400
            {"payload": 1} {}            | 400
            {"payload": 1, "payload": 2} | 400
            "text"                       | 400
            """)
    void malformedBodyIsTheCallersFault(String body, int status) throws Exception {
        assertThat(gateway.send("POST", ORDERS, body).status()).isEqualTo(status);
    }

    @Test
    void otherContentTypeIsRefused() throws Exception {
        Reply reply = gateway.send("POST", ORDERS, "{\"payload\": 1}", "Content-Type", "text/plain");

        assertThat(reply.status()).isEqualTo(415);
    }

    @Test
    void messageIsFoundMovedAndCancelled() throws Exception {
        gateway.send("POST", ORDERS, "{\"id\": \"o1\", \"delay\": 60, \"payload\": [1, 2]}");

        Reply found = gateway.send("GET", ORDERS + "/o1");
        assertThat(found.status()).isEqualTo(200);
        assertThat(found.json().get("state").stringValue()).isEqualTo("scheduled");
        assertThat(found.json().get("payload").toString()).isEqualTo("[1,2]");

        Reply moved = gateway.send("PATCH", ORDERS + "/o1", "{\"dueAt\": \"2040-01-01T01:00:00+01:00\"}");
        assertThat(moved.json().get("due").stringValue()).isEqualTo("2040-01-01T00:00:00Z");
        assertThat(gateway.client().find("orders", "o1").orElseThrow().due())
                .isEqualTo(Instant.parse("2040-01-01T00:00:00Z"));

        assertThat(gateway.send("DELETE", ORDERS + "/o1").status()).isEqualTo(204);
        assertThat(gateway.send("DELETE", ORDERS + "/o1").status()).isEqualTo(404);
        assertThat(gateway.send("GET", ORDERS + "/o1").status()).isEqualTo(404);
        assertThat(gateway.send("PATCH", ORDERS + "/o1", "{\"delay\": 1}").status())
                .isEqualTo(404);
    }

    @Test
    void idWithASlashIsAParameter() throws Exception {
        Reply reply = gateway.send("POST", ORDERS, "{\"id\": \"a/../b\", \"delay\": 60, \"payload\": 1}");
        String location = reply.header("Location");

        assertThat(location).endsWith("/messages?id=a%2F..%2Fb");
        Reply found = gateway.send("GET", location.substring("/delayqueue/v1".length()));
        assertThat(found.json().get("id").stringValue()).isEqualTo("a/../b");
    }

    @Test
    void bytesOfAJavaProducerComeAsBase64() throws Exception {
        assertThat(gateway.client()
                        .schedule(OutgoingMessage.to("orders")
                                .id("b")
                                .payload(new byte[] {'1'})
                                .delay(Duration.ofMinutes(1))
                                .build())
                        .id())
                .isEqualTo("b");

        assertThat(gateway.send("GET", ORDERS + "/b")
                        .json()
                        .get("payloadBase64")
                        .stringValue())
                .isEqualTo("MQ==");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "                               | {\"a\": 1.25} | {\"a\":1.25}",
                "                               | [1, {}]       | [1,{}]",
                "application/json               | 1             | 1",
                "application/json;charset=UTF-8 | {\"a\": 1}    | {\"a\":1}",
                "APPLICATION/JSON               | true          | true",
                "application/cloudevents+json   | {}            | {}",
            })
    void jsonOfAJavaProducerComesAsJson(String contentType, String payload, String answered) throws Exception {
        schedule(contentType, payload);

        JsonNode found = gateway.send("GET", ORDERS + "/j").json();
        assertThat(found.get("payload").toString()).isEqualTo(answered);
        JsonNode claimed =
                gateway.send("POST", "/topics/orders/claims", "{\"wait\": 30}").json();
        assertThat(claimed.at("/messages/0/payload").toString()).isEqualTo(answered);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "                         | text",
                "                         | 1",
                "                         | {no json}",
                "application/json         | {no json}",
                "application/octet-stream | {}",
                "text/json-lines          | {}",
            })
    void othersComeAsBase64(String contentType, String payload) throws Exception {
        schedule(contentType, payload);

        JsonNode found = gateway.send("GET", ORDERS + "/j").json();
        assertThat(found.has("payload")).isFalse();
        assertThat(found.get("payloadBase64").binaryValue()).isEqualTo(payload.getBytes(StandardCharsets.UTF_8));
    }

    private static void schedule(@Nullable String contentType, String payload) {
        OutgoingMessage.Builder message =
                OutgoingMessage.to("orders").id("j").payload(payload.getBytes(StandardCharsets.UTF_8));
        if (contentType != null) {
            message.header("content-type", contentType);
        }
        assertThat(gateway.client().schedule(message.build()).id()).isEqualTo("j");
    }

    @Test
    @Tag("slow")
    void thousandsOfTopicsTellTheirNumbers() throws Exception {
        List<OutgoingMessage> messages = new ArrayList<>();
        for (int i = 0; i < 2_000; i++) {
            messages.add(OutgoingMessage.to("many-" + i)
                    .payload(new byte[] {'1'})
                    .delay(Duration.ofMinutes(10))
                    .build());
        }
        assertThat(gateway.client().scheduleAll(messages)).hasSize(2_000);

        List<CompletableFuture<Reply>> replies = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            replies.add(gateway.sendAsync("GET", "/topics", ""));
        }
        for (CompletableFuture<Reply> reply : replies) {
            JsonNode topics = reply.get(60, TimeUnit.SECONDS).json().get("topics");
            assertThat(topics.valueStream()
                            .filter(topic -> topic.get("topic").stringValue().startsWith("many-")))
                    .hasSize(2_000)
                    .allSatisfy(
                            topic -> assertThat(topic.at("/pending/scheduled").longValue())
                                    .isEqualTo(1));
        }
    }

    @Test
    void topicsTellTheirNumbers() throws Exception {
        // not used before the server was emptied: a client enters a topic into the list once
        gateway.send("POST", "/topics/numbers/messages", "{\"delay\": 60, \"payload\": 1}");

        Reply one = gateway.send("GET", "/topics/numbers");
        assertThat(one.status()).isEqualTo(200);
        assertThat(one.json().at("/pending/scheduled").longValue()).isEqualTo(1);
        Reply all = gateway.send("GET", "/topics");
        assertThat(all.json().at("/topics/0/topic").stringValue()).isEqualTo("numbers");
        assertThat(all.json().at("/topics/0/totals/accepted").longValue()).isEqualTo(1);
    }
}
