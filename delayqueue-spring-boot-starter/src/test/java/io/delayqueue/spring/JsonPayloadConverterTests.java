package io.delayqueue.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.delayqueue.spring.testsupport.OrderPlaced;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.core.ParameterizedTypeReference;
import tools.jackson.databind.json.JsonMapper;

class JsonPayloadConverterTests {

    private final JsonPayloadConverter converter =
            new JsonPayloadConverter(JsonMapper.builder().build());

    @Test
    void objectsAreWrittenWithoutClassNames() {
        assertThat(converter.toBytes(new OrderPlaced(1, "a")))
                .asString(StandardCharsets.UTF_8)
                .isEqualTo("{\"number\":1,\"customer\":\"a\"}");
    }

    @Test
    void bytesAndStringsAreUnchanged() {
        byte[] bytes = {1, 2, -3};

        assertThat(converter.toBytes(bytes)).isSameAs(bytes);
        assertThat(converter.fromBytes(bytes, byte[].class)).isSameAs(bytes);
        assertThat(converter.fromBytes(converter.toBytes("\"ö\" "), String.class))
                .isEqualTo("\"ö\" ");
    }

    @Test
    void bytesThatAreNotUtf8AreRefusedAsString() {
        assertThatExceptionOfType(PayloadConversionException.class)
                .isThrownBy(() -> converter.fromBytes(new byte[] {(byte) 0xC3}, String.class))
                .withMessageContaining("1 bytes are not UTF-8");
    }

    @Test
    void typesOfOneClassAreReadByTheirArguments() {
        byte[] bytes = converter.toBytes(List.of(1));

        for (int reading = 0; reading < 2; reading++) {
            assertThat(converter.fromBytes(bytes, new ParameterizedTypeReference<List<Integer>>() {}.getType()))
                    .isEqualTo(List.of(1));
            assertThat(converter.fromBytes(bytes, new ParameterizedTypeReference<List<String>>() {}.getType()))
                    .isEqualTo(List.of("1"));
        }
    }

    @Test
    void unreadableJsonNamesTheType() {
        assertThatExceptionOfType(PayloadConversionException.class)
                .isThrownBy(() -> converter.fromBytes("{".getBytes(StandardCharsets.UTF_8), OrderPlaced.class))
                .withMessageStartingWith("can't read 1 bytes as " + OrderPlaced.class.getName());
    }

    @Test
    void unwritableObjectNamesItsType() {
        Object selfReferring = new Object() {
            public Object getSelf() {
                return this;
            }
        };

        assertThatExceptionOfType(PayloadConversionException.class)
                .isThrownBy(() -> converter.toBytes(selfReferring))
                .withMessageContaining(
                        "can't write a " + selfReferring.getClass().getTypeName());
    }
}
