package io.delayqueue.gateway.callback;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CallbackHeadersTests {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Host", "host", "HOST", "Content-Length", "Transfer-Encoding", "transfer-encoding", "Connection",
                        "Keep-Alive",
                "Upgrade", "TE", "Trailer", "Expect", "HTTP2-Settings", "Proxy-Authorization", "Proxy-Connection",
                        "webhook-id",
                "Webhook-Timestamp", "WEBHOOK-SIGNATURE", "webhook-anything", "DelayQueue-Attempt", ":authority",
                        ":path"
            })
    void aMessageCannotSetTheHeadersOfTheRequestItself(String name) {
        assertThat(CallbackHeaders.problem(name, "x")).isNotNull();
        assertThat(CallbackHeaders.ofRequest(Map.of(name, "x"))).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "a b", "a:b", "a\r\nHost", "a\n", "ä", "a\0", "(a)", "a,b", "a/b", "a=b", "\"a\""})
    void aNameThatIsNoNameIsRefused(String name) {
        assertThat(CallbackHeaders.problem(name, "x")).contains("name");
        assertThat(CallbackHeaders.ofRequest(Map.of(name, "x"))).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "a\r\nHost: evil.example",
                "a\rb",
                "a\nb",
                "\r\n",
                "a\0b",
                "ä",
                "a\u007f",
                "a\u2028b",
                " a",
                "a ",
                "a\u010d\u010ab"
            })
    void aValueThatIsNoValueIsRefused(String value) {
        assertThat(CallbackHeaders.problem("x-tenant", value)).contains("value");
        assertThat(CallbackHeaders.ofRequest(Map.of("x-tenant", value))).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "a", "a b", "a\tb", "application/json; charset=utf-8", "{\"a\": [1, 2]}", "~!@#$%^&*()"})
    void otherValuesAreKept(String value) {
        assertThat(CallbackHeaders.problem("x-tenant", value)).isNull();
        assertThat(CallbackHeaders.ofRequest(Map.of("x-tenant", value))).containsEntry("x-tenant", value);
    }

    /** An SQS client may send to a callback topic; its access key id is nobody else's business. */
    @ParameterizedTest
    @ValueSource(strings = {"sqs-sender", "sqs-sent", "sqs-group", "sqs-trace", "sqs-attributes"})
    void headersOfTheSqsEndpointStayHere(String name) {
        assertThat(CallbackHeaders.problem(name, "x")).isNull();
        assertThat(CallbackHeaders.problem(name, "{\"a\":\"ü\"}"))
                .as("attributes have any characters")
                .isNull();
        assertThat(CallbackHeaders.ofRequest(Map.of(name, "x"))).isEmpty();
        assertThat(CallbackHeaders.ofRequest(Map.of(name + "-2", "x")))
                .as("a sender's own")
                .hasSize(1);
    }

    @Test
    void namesAreLowerCaseAndTheRestGoesOn() {
        assertThat(CallbackHeaders.ofRequest(Map.of(
                        "traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
                        "Content-Type", "application/json",
                        "Host", "evil.example",
                        "X-Tenant", "4711")))
                .containsExactly(
                        Map.entry("content-type", "application/json"),
                        Map.entry("traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"),
                        Map.entry("x-tenant", "4711"));
    }
}
