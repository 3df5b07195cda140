package io.delayqueue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class OutgoingMessageTests {

    @Test
    void plainMessageHasTheDefaults() {
        OutgoingMessage message = message().build();

        assertThat(message.topic()).isEqualTo("orders");
        assertThat(message.delay()).isEqualTo(Delay.NONE);
        assertThat(message.priority()).isEqualTo(4);
        assertThat(message.timeToLive()).isNull();
        assertThat(message.maxAttempts()).isNull();
        assertThat(message.headers()).isEmpty();
        assertThat(message.duplicatePolicy()).isEqualTo(DuplicatePolicy.REJECT);
        assertThat(message.id()).hasSize(20);
    }

    @Test
    void messageKeepsItsSettings() {
        Instant due = Instant.parse("2030-01-02T03:04:05.000006Z");
        OutgoingMessage message = message()
                .id("42")
                .dueAt(due)
                .priority(9)
                .timeToLive(Duration.ofHours(1))
                .maxAttempts(7)
                .header("a", "1")
                .header("b", "")
                .ifExists(DuplicatePolicy.REPLACE)
                .build();

        assertThat(message.id()).isEqualTo("42");
        assertThat(message.delay()).isEqualTo(Delay.until(due));
        assertThat(message.priority()).isEqualTo(9);
        assertThat(message.timeToLive()).isEqualTo(Duration.ofHours(1));
        assertThat(message.maxAttempts()).isEqualTo(7);
        assertThat(message.headers()).containsOnly(entry("a", "1"), entry("b", ""));
        assertThat(message.duplicatePolicy()).isEqualTo(DuplicatePolicy.REPLACE);
    }

    @Test
    void headersAreBoundedTogether() {
        OutgoingMessage largest = message()
                .header("a", "x".repeat(32_767))
                .header("b", "y".repeat(32_767))
                .build();

        assertThat(largest.headers()).hasSize(2);
        assertThatIllegalArgumentException()
                .isThrownBy(
                        () -> largest.toBuilder().id("talker").header("c", "").build())
                .withMessage(
                        "the headers of message 'talker' for topic 'orders' have 65537 characters, more than 65536");
    }

    private static Map.Entry<String, String> entry(String key, String value) {
        return Map.entry(key, value);
    }

    @Test
    void eachMessageBuiltIsASchedulingOfItsOwn() {
        OutgoingMessage.Builder builder = message().id("same");

        assertThat(builder.build().generation())
                .hasSize(8)
                .isNotEqualTo(builder.build().generation());
    }

    @Test
    void anotherProcessCanBuildAMessageOfTheSameGeneration() {
        OutgoingMessage message = message().id("42").build();

        assertThat(message().id("42").generation(message.generation()).build().generation())
                .isEqualTo(message.generation());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "short", "morethan8", "UPPER123", "semi;123", "blank 12"})
    void refusesGenerationsThatWouldNotFitTheirPlace(String generation) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> message().generation(generation))
                .withMessageContaining("generation")
                .withMessageContaining(generation);
    }

    @Test
    void builderOfAMessageHasAllItsParts() {
        OutgoingMessage message = message()
                .id("42")
                .payload(new byte[] {1, 2})
                .delay(Duration.ofHours(1))
                .priority(9)
                .timeToLive(Duration.ofHours(2))
                .maxAttempts(7)
                .header("a", "1")
                .ifExists(DuplicatePolicy.REPLACE)
                .build();

        OutgoingMessage copy = message.toBuilder().header("b", "2").build();

        assertThat(copy)
                .usingRecursiveComparison()
                .ignoringFields("generation", "headers")
                .isEqualTo(message);
        assertThat(copy.headers()).containsOnly(entry("a", "1"), entry("b", "2"));
        assertThat(message.headers()).containsOnly(entry("a", "1"));
        assertThat(copy.generation()).isNotEqualTo(message.generation());
    }

    @Test
    void builderOfAMessageKeepsAGeneratedId() {
        OutgoingMessage message = message().build();

        assertThat(message.toBuilder().build().id()).isEqualTo(message.id());
    }

    @Test
    void builderUsedAgainDoesNotChangeWhatItBuiltBefore() {
        OutgoingMessage.Builder builder = message().header("a", "1");
        OutgoingMessage first = builder.build();
        builder.header("a", "2");

        assertThat(first.headers()).containsOnly(entry("a", "1"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "a b",
                "a{b",
                "a}b",
                "a\tb",
                "a\nb",
                "a\u0000b",
                "a\u00a0b",
                "a\u007fb",
                "a\ud800b",
                "\udc00"
            })
    void topicThatCantBeAKeyIsRefusedByName(String topic) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> OutgoingMessage.to(topic))
                .withMessageContaining("topic")
                .withMessageContaining("'" + topic + "'");
    }

    @Test
    void topicMayHave200CharactersAndNoMore() {
        assertThat(OutgoingMessage.to("t".repeat(200))).isNotNull();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> OutgoingMessage.to("t".repeat(201)))
                .withMessageContaining("1 to 200")
                .withMessageContaining("201");
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "order:42/äöü.x_y-z", "\ud83d\ude00"})
    void ordinaryTopicsAreAccepted(String topic) {
        assertThat(OutgoingMessage.to(topic).payload(new byte[0]).build().topic())
                .isEqualTo(topic);
    }

    @Test
    void idMayHave512BytesOfUtf8AndNoMore() {
        String longest = "ü".repeat(256);
        assertThat(message().id(longest).build().id()).isEqualTo(longest);
        String smiles = "\ud83d\ude00".repeat(128);
        assertThat(message().id(smiles).build().id()).isEqualTo(smiles);

        assertThatIllegalArgumentException()
                .isThrownBy(() -> message().id(longest + "a"))
                .withMessageContaining("'orders'")
                .withMessageContaining("512")
                .withMessageContaining("513");
    }

    /** They have no UTF-8: two such ids would be one in Redis, and count twice. */
    @ParameterizedTest
    @ValueSource(strings = {"\ud800", "a\udc00", "\udc00\ud800", "a\ud800b"})
    void idWithHalfACharacterIsRefused(String id) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> message().id(id))
                .withMessageContaining("'orders'")
                .withMessageContaining("surrogate");
    }

    @Test
    void idMayHaveBlanksAndBraces() {
        assertThat(message().id(" {a}\n").build().id()).isEqualTo(" {a}\n");
    }

    static Stream<ThrowingCallable> badValues() {
        return Stream.of(
                () -> message().id(""),
                () -> message().priority(-1),
                () -> message().priority(10),
                () -> message().maxAttempts(0),
                () -> message().timeToLive(Duration.ZERO),
                () -> message().timeToLive(Duration.ofNanos(-1)),
                () -> message().timeToLive(Delay.LONGEST.plusNanos(1)),
                () -> message().header(" ", "v"),
                () -> OutgoingMessage.to("orders").build());
    }

    @ParameterizedTest
    @MethodSource("badValues")
    void badValueIsRefusedWithItsTopic(ThrowingCallable setter) {
        assertThatIllegalArgumentException().isThrownBy(setter::call).withMessageContaining("'orders'");
    }

    @Test
    void dueTimeBeyondTheYear9999IsRefused() {
        Instant latest = Instant.parse("9999-12-31T23:59:59.999999Z");
        assertThat(message().dueAt(latest).build().delay()).isEqualTo(new Delay.At(latest));

        assertThatIllegalArgumentException()
                .isThrownBy(() -> message().dueAt(latest.plusNanos(1000)))
                .withMessageContaining("9999")
                .withMessageContaining("+10000-01-01");
    }

    @Test
    void textNeverShowsThePayload() {
        assertThat(OutgoingMessage.to("orders")
                        .id("42")
                        .payload("secret".getBytes())
                        .build())
                .asString()
                .contains("orders", "42", "6 bytes")
                .doesNotContain("secret");
    }

    private static OutgoingMessage.Builder message() {
        return OutgoingMessage.to("orders").payload(new byte[] {1});
    }
}
