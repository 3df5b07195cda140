package io.delayqueue.gateway.callback;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.gateway.callback.Receiver.Request;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Receivers on hosts with secrets of their own can't sign requests to others. */
class HostSecretsTests extends RunningCallbacks {

    private static final String GUEST = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
    private static final String RESULT = "whsec_Hx4dHBsaGRgXFhUUExIREA8ODQwLCgkIBwYFBAMCAQA=";

    @Test
    void requestsToAHostAreSignedWithItsSecretsOnly() {
        instance(
                "delayqueue.callbacks.hooks.allow-message-url=true",
                "delayqueue.callbacks.hooks.host-secrets[Guest.example]=" + GUEST,
                "delayqueue.callbacks.hooks.host-secrets[done.example]=" + RESULT,
                "delayqueue.callbacks.hooks.on-success.url=http://done.example:" + receiver.port() + "/done");
        instance.schedule(message("topic"));
        instance.schedule(message("guest").header(CallbackMessageHeaders.URL, url("guest.example")));
        instance.schedule(message("third").header(CallbackMessageHeaders.URL, url("third.example")));

        // each of the three has a result
        awaitRequests(6);
        assertSigned("hook.example", CallbackInstance.SECRET);
        assertSigned("guest.example", GUEST);
        assertSigned("third.example", CallbackInstance.SECRET);
        assertSigned("done.example", RESULT);
    }

    private String url(String host) {
        return "http://" + host + ":" + receiver.port() + "/in";
    }

    private void assertSigned(String host, String secret) {
        WebhookSignature signature = new WebhookSignature(List.of(WebhookSecret.parse(secret)));
        assertThat(receiver.requests())
                .filteredOn(request -> request.host().equals(host))
                .isNotEmpty()
                .allSatisfy(request -> assertThat(request.header("webhook-signature"))
                        .as("requests to %s", host)
                        .isEqualTo(signed(request, signature)));
    }

    private static String signed(Request request, WebhookSignature signature) {
        Instant timestamp = Instant.ofEpochSecond(Long.parseLong(request.header("webhook-timestamp")));
        return signature.sign(request.header("webhook-id"), timestamp, request.body());
    }
}
