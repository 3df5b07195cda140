package io.delayqueue.internal.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.delayqueue.Delay;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.UnexpectedReplyException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Map;
import net.jqwik.api.Assume;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.constraints.NotBlank;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EnvelopeTests {

    private static final Instant THEN = Instant.ofEpochMilli(1_700_000_000_123L);

    @Property
    void everythingComesBackAsItWas(
            @ForAll byte[] payload,
            @ForAll @Size(max = 5) Map<@NotBlank String, String> headers,
            @ForAll @IntRange(max = 9) int priority,
            @ForAll @IntRange(min = 1) int maxAttempts,
            @ForAll @LongRange(min = 1, max = 31_536_000_000_000_000L) long timeToLiveMicros) {
        // NotBlank lets spaces through that are not in ASCII; a blank name is refused before
        Assume.that(headers.keySet().stream().noneMatch(String::isBlank));
        Duration timeToLive = Micros.duration(timeToLiveMicros);
        OutgoingMessage.Builder message = OutgoingMessage.to("orders")
                .payload(payload)
                .priority(priority)
                .maxAttempts(maxAttempts)
                .timeToLive(timeToLive);
        headers.forEach(message::header);

        Envelope envelope = Envelope.decode(Envelope.encode(message.build(), THEN), "orders", "a");

        assertThat(envelope.payload()).isEqualTo(payload);
        assertThat(envelope.headers()).isEqualTo(headers);
        assertThat(envelope.priority()).isEqualTo(priority);
        assertThat(envelope.maxAttempts()).isEqualTo(maxAttempts);
        assertThat(envelope.timeToLive()).isEqualTo(timeToLive);
        assertThat(envelope.scheduledAt()).isEqualTo(THEN);
    }

    @Test
    void aValueThatIsNotSetIsDecodedAsNull() {
        OutgoingMessage message =
                OutgoingMessage.to("orders").payload(new byte[0]).build();

        Envelope envelope = Envelope.decode(Envelope.encode(message, THEN), "orders", "a");

        assertThat(envelope.maxAttempts()).isNull();
        assertThat(envelope.timeToLive()).isNull();
        assertThat(envelope.headers()).isEmpty();
        assertThat(envelope.payload()).isEmpty();
        assertThat(envelope.priority()).isEqualTo(OutgoingMessage.DEFAULT_PRIORITY);
        assertThat(envelope.generation()).isEqualTo(message.generation());
    }

    @Test
    void canBeReadByPeopleAndHasItsFieldsWhereTheScriptsLook() {
        OutgoingMessage message = OutgoingMessage.to("orders")
                .payload("{\"id\":42}".getBytes(StandardCharsets.UTF_8))
                .priority(7)
                .maxAttempts(5)
                .timeToLive(Duration.ofSeconds(60))
                .header("kind", "a=b\n100%")
                .build();

        assertThat(text(message))
                .isEqualTo(
                        "1S7t" + message.generation() + "5,60000000,1700000000123,20;kind=a%3Db%0A100%25\n{\"id\":42}");
    }

    @Test
    void aTimeToLiveOfPartsOfAMicrosecondIsNotZero() {
        OutgoingMessage message = OutgoingMessage.to("orders")
                .payload(new byte[0])
                .timeToLive(Duration.ofNanos(1))
                .build();

        assertThat(text(message)).startsWith("1S4t" + message.generation() + ",1,");
    }

    @Test
    void theLongestNumbersFit() {
        OutgoingMessage message = OutgoingMessage.to("orders")
                .payload(new byte[0])
                .maxAttempts(Integer.MAX_VALUE)
                .timeToLive(Delay.LONGEST)
                .build();
        Instant latest = Instant.ofEpochMilli(999_999_999_999_999_999L);

        Envelope envelope = Envelope.decode(Envelope.encode(message, latest), "orders", "a");

        assertThat(envelope.maxAttempts()).isEqualTo(Integer.MAX_VALUE);
        assertThat(envelope.timeToLive()).isEqualTo(Delay.LONGEST);
        assertThat(envelope.scheduledAt()).isEqualTo(latest);
    }

    @Test
    void halvesOfSurrogatePairsInHeadersSurvive() {
        Map<String, String> headers = Map.of("\ud83d", "x\ude00y\ud83d\ude00", "%", "%u0041");

        assertThat(HeaderLines.decode(HeaderLines.encode(headers))).isEqualTo(headers);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "1S4-",
                "2S4-nonce678,,1,0;body",
                "1X4-nonce678,,1,0;body",
                "1Sx-nonce678,,1,0;body",
                "1S4?nonce678,,1,0;body",
                "1S4-nonce678,,,0;body",
                "1S4-nonce678,,1,0body",
                "1S4-nonce678,,1,5;body",
                "1S4-nonce678,,1,9999999999;body",
                "1S4-nonce6789999999999,,1,0;body",
                "1S4-nonce678,,1,4;body",
                "1S4-nonce678,,1,5;a=%0\n",
                "1S4-nonce678,,1,6;a=%zz\n"
            })
    void aDamagedEnvelopeIsRefusedByItsId(String envelope) {
        assertThatThrownBy(() -> Envelope.decode(envelope.getBytes(StandardCharsets.UTF_8), "orders", "a17"))
                .isInstanceOfSatisfying(UnexpectedReplyException.class, e -> {
                    assertThat(e.topic()).isEqualTo("orders");
                    assertThat(e.id()).isEqualTo("a17");
                })
                .hasMessageContaining("'a17'")
                .hasMessageContaining("'orders'");
    }

    @Property
    void anythingElseIsRefusedAndNothingWorse(@ForAll byte[] bytes, @ForAll @IntRange(max = 40) int cut) {
        byte[] whole = Envelope.encode(
                OutgoingMessage.to("orders")
                        .payload(new byte[0])
                        .header("a", "b")
                        .build(),
                THEN);
        for (byte[] candidate : new byte[][] {bytes, Arrays.copyOf(whole, Math.min(cut, whole.length - 1))}) {
            assertThatThrownBy(() -> Envelope.decode(candidate, "orders", "a"))
                    .isInstanceOf(UnexpectedReplyException.class);
        }
    }

    private static String text(OutgoingMessage message) {
        return new String(Envelope.encode(message, THEN), StandardCharsets.UTF_8);
    }
}
