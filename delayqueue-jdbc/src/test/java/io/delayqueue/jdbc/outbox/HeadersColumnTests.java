package io.delayqueue.jdbc.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HeadersColumnTests {

    @Test
    void headersAreReadAsTheyWereWritten() {
        Map<String, String> headers = Map.of(
                "plain", "a b", "quoted \"name\"", "\\ / {}:,", "", "control \u0000\n\t", "主", "é 🛒 \ud83d lone");

        String json = HeadersColumn.encode(headers);

        assertThat(json).isASCII();
        assertThat(HeadersColumn.decode(json)).isEqualTo(headers);
        assertThat(HeadersColumn.encode(Map.of())).isNull();
        assertThat(HeadersColumn.decode(null)).isEmpty();
    }

    @Test
    void anyTextIsReadAsItWasWritten() {
        StringBuilder all = new StringBuilder();
        for (char c = 0; c < Character.MAX_VALUE; c++) {
            all.append(c);
        }
        // longer than readers of JSON take a name to be
        Map<String, String> headers =
                Map.of(all.reverse().toString(), all.reverse().toString(), "long", "x".repeat(300_000));

        String json = HeadersColumn.encode(headers);

        assertThat(json).isASCII();
        assertThat(HeadersColumn.decode(json)).isEqualTo(headers);
    }

    @Test
    void namesWithTheSameHashAreRead() {
        Map<String, String> headers = new HashMap<>();
        // each of "Aa" and "BB" has the same hash code
        for (int i = 0; i < 2_000; i++) {
            headers.put(Integer.toBinaryString(4_096 | i).replace("0", "Aa").replace("1", "BB"), "");
        }

        assertThat(HeadersColumn.decode(HeadersColumn.encode(headers))).isEqualTo(headers);
    }

    @Test
    void anotherProgramsJsonIsRead() {
        assertThat(HeadersColumn.decode(" { \"a\" : \"\\/\\b\\f\\r\" ,\n\"b\": \"é\" } "))
                .isEqualTo(Map.of("a", "/\b\f\r", "b", "é"));
        assertThat(HeadersColumn.decode("{}")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "[]",
                "{",
                "{\"a\"}",
                "{\"a\":1}",
                "{\"a\":\"b\",}",
                "{\"a\":\"b\"}x",
                "{\"a\":\"\\u00g0\"}",
                "{\"a\":\"b"
            })
    void otherTextsAreRefused(String json) {
        assertThatExceptionOfType(IllegalArgumentException.class).isThrownBy(() -> HeadersColumn.decode(json));
    }
}
