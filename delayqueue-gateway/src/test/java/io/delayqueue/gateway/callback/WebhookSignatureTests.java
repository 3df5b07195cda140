package io.delayqueue.gateway.callback;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.delayqueue.ReceivedMessage;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Known answers are those that the specification and its libraries publish. */
class WebhookSignatureTests {

    private static final String SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    private static final String OTHER = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
    private static final String ID = "msg_p5jXN8AQM9LWM0D4loKWxJek";
    private static final Instant TIME = Instant.ofEpochSecond(1614265330);
    private static final String BODY = "{\"test\": 2432232314}";

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw; msg_p5jXN8AQM9LWM0D4loKWxJek; 1614265330; {\"test\": 2432232314};"
                        + " v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
                "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD; msg_27UH4WbU6Z5A5EzD8u03UvzRbpk; 1649367553;"
                        + " {\"email\":\"test@example.com\",\"username\":\"test_user\"};"
                        + " v1,tZ1I4/hDygAJgO5TYxiSd6Sd0kDW6hPenDe+bTa3Kkw="
            })
    void signaturesAreThoseOfTheSpecification(String secret, String id, long seconds, String body, String signature) {
        assertThat(signature(secret).sign(id, Instant.ofEpochSecond(seconds), bytes(body)))
                .isEqualTo(signature);
    }

    @Test
    void twoSecretsGiveTwoSignatures() {
        assertThat(signature(SECRET, OTHER).sign(ID, TIME, bytes(BODY)))
                .isEqualTo(
                        "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE= v1,O4Gjv1HqPqsMrjmczoggs/sWA8gZD0VyHG+fLh4+ktI=");
    }

    @Test
    void theTimestampCountsInSeconds() {
        assertThat(signature(SECRET).sign(ID, TIME.plusMillis(999), bytes(BODY)))
                .isEqualTo(signature(SECRET).sign(ID, TIME, bytes(BODY)));
    }

    @Test
    void bytesAreSignedAsTheyAre() {
        byte[] body = {0, -1, (byte) 0xc3, 0x28};

        assertThat(signature(SECRET).sign(ID, TIME, body))
                .isNotEqualTo(signature(SECRET).sign(ID, TIME, bytes(new String(body, StandardCharsets.UTF_8))));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 23, 65})
    void aSecretHas24To64Bytes(int length) {
        assertThatThrownBy(() -> WebhookSecret.parse(secretOf(length)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("24 to 64");
    }

    @ParameterizedTest
    @ValueSource(ints = {24, 64})
    void theShortestAndTheLongestAreAccepted(int length) {
        assertThat(WebhookSecret.parse(secretOf(length))).hasToString("whsec_…");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
                "whsec_",
                "whsec_*geheim*",
                "whsk_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
            })
    void otherTextsAreNoSecretsAndAreNotQuoted(String text) {
        assertThatThrownBy(() -> WebhookSecret.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageNotContaining("geheim")
                .hasNoCause();
    }

    @Test
    void noneAndThreeSecretsAreRefused() {
        assertThatThrownBy(WebhookSignatureTests::signature).hasMessageContaining("0");
        assertThatThrownBy(() -> signature(SECRET, SECRET, SECRET)).hasMessageContaining("3");
    }

    /** Known answer computed with Python's hashlib and base64. */
    @Test
    void theIdIsDerivedFromTopicIdAndGeneration() {
        assertThat(WebhookId.of(message("orders", "42", "g0000001", 1))).isEqualTo("msg_4rxapfnm4oml4vs3ktlygbbpyj");
    }

    @Test
    void theIdIsTheSameForEachAttemptAndAnotherForEachMessage() {
        assertThat(WebhookId.of(message("orders", "42", "g0000001", 3)))
                .isEqualTo(WebhookId.of(message("orders", "42", "g0000001", 1)));
        assertThat(List.of(
                        WebhookId.of(message("orders", "42", "g0000001", 1)),
                        WebhookId.of(message("orders", "42", "g0000002", 1)),
                        WebhookId.of(message("orders", "43", "g0000001", 1)),
                        WebhookId.of(message("order", "s42", "g0000001", 1)),
                        WebhookId.of(message("orders4", "2", "g0000001", 1))))
                .doesNotHaveDuplicates()
                .allMatch(id -> id.matches("msg_[a-z2-7]{26}"));
    }

    private static ReceivedMessage message(String topic, String id, String generation, int attempt) {
        return ReceivedMessage.of(topic, id)
                .attempt(attempt)
                .generation(generation)
                .build();
    }

    private static WebhookSignature signature(String... secrets) {
        return new WebhookSignature(
                List.of(secrets).stream().map(WebhookSecret::parse).toList());
    }

    private static String secretOf(int length) {
        return "whsec_" + Base64.getEncoder().encodeToString(new byte[length]);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
