package io.delayqueue.dashboard.payload;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.dashboard.payload.PayloadText.Kind;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Payloads as text. */
class PayloadTextTests {

    private static final FieldMask NONE = new FieldMask(Set.of(), Set.of());

    private static PayloadText of(String payload, FieldMask mask) {
        return PayloadText.of(payload.getBytes(StandardCharsets.UTF_8), mask, 10_000, 1_000);
    }

    @Test
    void jsonIsPrettyAndItsNumbersAreExact() {
        assertThat(of("{\"a\":[1.10,9223372036854775808,-0.0,true,null,\"\\u0000\\\"\"],\"b\":{},\"c\":[]}", NONE))
                .isEqualTo(new PayloadText(Kind.JSON, """
                        {
                          "a": [
                            1.10,
                            9223372036854775808,
                            -0.0,
                            true,
                            null,
                            "\\u0000\\""
                          ],
                          "b": {},
                          "c": []
                        }""", false, 0));
    }

    @Test
    void maskedFieldsHideAllInThem() {
        FieldMask mask = new FieldMask(Set.of("card-number", "Secret"), Set.of());

        PayloadText text = of(
                "{\"cardNumber\":\"4711\",\"x\":{\"SECRET\":{\"a\":[4712]}},\"y\":[{\"secret\":4713}],\"z\":1}", mask);

        assertThat(text.text()).doesNotContain("471").contains("\"z\": 1", "\"cardNumber\": \"******\"");
        assertThat(text.maskedFields()).isEqualTo(3);
    }

    @Test
    void onlyAllowedFieldsAreShown() {
        FieldMask mask = new FieldMask(Set.of("inner"), Set.of("order", "inner"));

        PayloadText text =
                of("{\"order\":{\"id\":1,\"inner\":4711},\"name\":\"Ann\",\"list\":[\"Bob\",{\"order\":2}]}", mask);

        assertThat(text.text()).doesNotContain("4711", "Ann", "Bob").contains("\"id\": 1", "\"order\": 2");
        assertThat(of("\"Ann\"", mask).text()).isEqualTo("\"******\"");
    }

    @ParameterizedTest
    @ValueSource(strings = {"{\"secret\": 4711", "{\"a\": 1} {\"secret\": 4711}", "secret=4711", "{\"a\": 4711}}"})
    void whatIsNoJsonIsHiddenWhereFieldsAreMasked(String payload) {
        FieldMask mask = new FieldMask(Set.of("secret"), Set.of());

        assertThat(of(payload, mask)).isEqualTo(new PayloadText(Kind.HIDDEN, "", false, 0));
        assertThat(PayloadText.whole(payload.getBytes(StandardCharsets.UTF_8), mask))
                .isEmpty();
        assertThat(of(payload, NONE).kind()).isEqualTo(Kind.TEXT);
    }

    @Test
    void largeJsonEndsAtItsBounds() {
        String many = "[" + "1,".repeat(100_000) + "1]";
        String deep = "{\"a\":".repeat(400) + "1" + "}".repeat(400);
        String wide = "\"" + "x".repeat(1_000_000) + "\"";
        for (String payload : new String[] {many, deep, wide}) {
            PayloadText text = of(payload, NONE);
            assertThat(text.kind()).isEqualTo(Kind.JSON);
            assertThat(text.truncated()).isTrue();
            assertThat(text.text().length()).isLessThan(21_000);
        }
    }

    @Test
    void textAndBytesAreShownAsSuch() {
        assertThat(of("grüße\n\u202eabc", NONE).text()).isEqualTo("grüße\n\u202eabc");
        assertThat(of("x".repeat(20_000), NONE))
                .matches(text -> text.truncated() && text.text().length() == 10_000);
        assertThat(of("", NONE).kind()).isEqualTo(Kind.EMPTY);
        assertThat(PayloadText.of(new byte[] {(byte) 0xff, 0, 16}, NONE, 100, 100))
                .isEqualTo(new PayloadText(Kind.BINARY, "00000000  ff 00 10\n", false, 0));
        assertThat(PayloadText.of(new byte[1_000_000], NONE, 10_000, 100)).matches(PayloadText::truncated);
    }

    @Test
    void wholePayloadIsMaskedWithoutBounds() {
        FieldMask mask = new FieldMask(Set.of("secret"), Set.of());
        String payload = "{\"list\":[" + "1,".repeat(50_000) + "1],\"secret\":4711}";

        assertThat(PayloadText.whole(payload.getBytes(StandardCharsets.UTF_8), mask))
                .hasValueSatisfying(text -> assertThat(text).endsWith("\"secret\": \"******\"\n}"));
    }
}
