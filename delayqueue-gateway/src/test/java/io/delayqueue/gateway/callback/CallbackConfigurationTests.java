package io.delayqueue.gateway.callback;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.delayqueue.MessageCheck;
import io.delayqueue.OutgoingMessage;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CallbackConfigurationTests {

    private static Map<String, String> properties(String... changes) {
        Map<String, String> properties = new LinkedHashMap<>();
        properties.put("delayqueue.callbacks.hooks.url", "https://hook.example.com/in");
        properties.put("delayqueue.callbacks.hooks.secrets", CallbackInstance.SECRET);
        for (String change : changes) {
            int equals = change.indexOf('=');
            properties.put(change.substring(0, equals), change.substring(equals + 1));
        }
        return properties;
    }

    private static OutgoingMessage.Builder message(String topic) {
        return OutgoingMessage.to(topic).payload(new byte[0]);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "delayqueue.callbacks.hooks.url=; delayqueue.callbacks.hooks.url; missing",
                "delayqueue.callbacks.hooks.url=http://hook.example.com/; delayqueue.callbacks.hooks.url; https://",
                "delayqueue.callbacks.hooks.url=https://10.0.0.1/; delayqueue.callbacks.hooks.url; address",
                "delayqueue.callbacks.hooks.url=https://a@b.example/; delayqueue.callbacks.hooks.url; user",
                "delayqueue.callbacks.hooks.url=https://b.example:8443/; delayqueue.callbacks.hooks.url; port 8443",
                "delayqueue.callbacks.hooks.url=https://b. example/; delayqueue.callbacks.hooks.url; malformed",
                "delayqueue.callbacks.hooks.allow-message-url=true; delayqueue.gateway.callbacks.hosts; must name",
                "delayqueue.callbacks.hooks.secrets=; delayqueue.callbacks.hooks.secrets; not 0",
                "delayqueue.callbacks.hooks.secrets=whsec_geheim; delayqueue.callbacks.hooks.secrets; 24 to 64",
                "delayqueue.callbacks.hooks.host-secrets[other.example.com]=" + CallbackInstance.SECRET
                        + "; delayqueue.callbacks.hooks.host-secrets[other.example.com]; this host",
                "delayqueue.callbacks.hooks.host-secrets[hook.example.com]=whsec_geheim;"
                        + " delayqueue.callbacks.hooks.host-secrets[hook.example.com]; 24 to 64",
                "delayqueue.callbacks.hooks.method=GET; delayqueue.callbacks.hooks.method; POST",
                "delayqueue.callbacks.hooks.concurrency=0; delayqueue.callbacks.hooks.concurrency; 1 to 10,000",
                "delayqueue.callbacks.hooks.max-attempts=0; delayqueue.callbacks.hooks.max-attempts; 1 to 1,000,000",
                "delayqueue.callbacks.hooks.backoff.initial=0s; delayqueue.callbacks.hooks.backoff; initial",
                "delayqueue.callbacks.hooks.on-failure.topic=hooks; delayqueue.callbacks.hooks.on-failure.topic; own",
                "delayqueue.callbacks.hooks.on-success.url=https://127.0.0.1/;"
                        + " delayqueue.callbacks.hooks.on-success.url; address",
                "delayqueue.gateway.callbacks.allowed-ranges=10/8; delayqueue.gateway.callbacks.allowed-ranges; 10/8",
                "delayqueue.gateway.callbacks.total-timeout=0s; delayqueue.gateway.callbacks.total-timeout; positive",
                "delayqueue.gateway.callbacks.flow.rate=0; delayqueue.gateway.callbacks.flow; positive",
                "delayqueue.gateway.callbacks.flows.x.parallelism=0; delayqueue.gateway.callbacks.flows.x; positive",
            })
    void aWrongPropertyIsNamed(String change, String property, String reason) {
        assertThatThrownBy(() -> CallbackInstance.configuration(properties(change)))
                .isInstanceOfSatisfying(InvalidCallbackException.class, e -> {
                    assertThat(e.property()).isEqualTo(property);
                    assertThat(e.reason()).contains(reason);
                })
                .hasMessageNotContaining("geheim");
    }

    @Test
    void theLeaseOutlivesTheCall() {
        CallbackConfiguration configuration =
                CallbackInstance.configuration(properties("delayqueue.gateway.callbacks.total-timeout=5m"));

        assertThat(configuration.topics().get(0).options().lease()).isGreaterThan(Duration.ofMinutes(5));
    }

    @Test
    void aTopicOfOneTargetTakesNoMoreMessagesThanThatTarget() {
        assertThat(CallbackInstance.configuration(properties("delayqueue.gateway.callbacks.flow.parallelism=3"))
                        .topics()
                        .get(0)
                        .options()
                        .concurrency())
                .isEqualTo(3);
        assertThat(CallbackInstance.configuration(properties(
                                "delayqueue.callbacks.hooks.flow=partner",
                                "delayqueue.gateway.callbacks.flows[partner].parallelism=4",
                                "delayqueue.gateway.callbacks.flows[hook.example.com].parallelism=5"))
                        .topics()
                        .get(0)
                        .options()
                        .concurrency())
                .isEqualTo(4);
        assertThat(CallbackInstance.configuration(properties(
                                "delayqueue.callbacks.hooks.allow-message-url=true",
                                "delayqueue.gateway.callbacks.hosts=*"))
                        .topics()
                        .get(0)
                        .options()
                        .concurrency())
                .isEqualTo(100);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "x-a; 'b\r\nhost: evil'; characters",
                "x-a; 'b\nc'; characters",
                "x-ü; b; no name",
                "'x a'; b; no name",
                "Host; evil.example; set by the gateway",
                "content-length; 1; set by the gateway",
                "Transfer-Encoding; chunked; set by the gateway",
                "webhook-id; msg_1; set by the gateway",
                "Webhook-Signature; v1; set by the gateway",
                "delayqueue-attempt; 7; set by the gateway",
                "delayqueue-callback-url; https://169.254.169.254/; address",
                "delayqueue-callback-url; https://evil.test/; allowed hosts",
                "delayqueue-callback-url; file:///etc/passwd; https://",
                "delayqueue-callback-url; 'https://a.example.com/\r\nx'; encoded",
                "delayqueue-callback-delays; soon; delays",
                "delayqueue-callback-delays; -5; delays",
                "delayqueue-callback-delays; ''; delays",
            })
    void aMessageThatCantBeSentIsRefused(String name, String value, String reason) {
        MessageCheck check = CallbackInstance.configuration(properties(
                        "delayqueue.callbacks.hooks.allow-message-url=true",
                        "delayqueue.gateway.callbacks.hosts=*.example.com"))
                .messageCheck();
        String unescaped = value.replace("\\r", "\r").replace("\\n", "\n");

        assertThatThrownBy(() ->
                        check.check(message("hooks").header(name, unescaped).build()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(reason)
                .hasMessageContaining("topic 'hooks'")
                .hasMessageNotContaining("evil");
        assertThatCode(() ->
                        check.check(message("others").header(name, unescaped).build()))
                .as("other topics may have what they like")
                .doesNotThrowAnyException();
    }

    @Test
    void aMessageNeedsAUrlSomewhere() {
        MessageCheck check = CallbackInstance.configuration(properties(
                        "delayqueue.callbacks.hooks.url=",
                        "delayqueue.callbacks.hooks.allow-message-url=true",
                        "delayqueue.gateway.callbacks.hosts=*.example.com"))
                .messageCheck();

        assertThatThrownBy(() -> check.check(message("hooks").build())).hasMessageContaining("delayqueue-callback-url");
        assertThatCode(() -> check.check(message("hooks")
                        .header(CallbackMessageHeaders.URL, "https://a.example.com/x")
                        .header("x-tenant", "4711")
                        .header(CallbackMessageHeaders.DELAYS, "5, PT1M")
                        .build()))
                .doesNotThrowAnyException();
    }

    @Test
    void aMessageHasNoUrlOfItsOwnUnlessAllowed() {
        MessageCheck check = CallbackInstance.configuration(properties()).messageCheck();

        assertThatThrownBy(() -> check.check(message("hooks")
                        .header(CallbackMessageHeaders.URL, "https://hook.example.com/in")
                        .build()))
                .hasMessageContaining("may not have a URL of their own");
    }
}
