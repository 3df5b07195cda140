package io.delayqueue.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.springframework.core.ParameterizedTypeReference;
import tools.jackson.databind.json.JsonMapper;

/** Type information survives the way through Redis, also where the payload's class does not tell its generics. */
class JsonPayloadTypesTests {

    private final JsonPayloadConverter converter =
            new JsonPayloadConverter(JsonMapper.builder().build());

    @Test
    void elementsOfAListKeepTheirTypes() {
        List<Shape> shapes = List.of(new Circle(1), new Square(2));

        assertThat(text(converter.toBytes(shapes)))
                .isEqualTo("[{\"kind\":\"circle\",\"radius\":1},{\"kind\":\"square\",\"side\":2}]");
        assertThat(roundTrip(shapes, new ParameterizedTypeReference<List<Shape>>() {}))
                .isEqualTo(shapes);
    }

    @Test
    void elementsOfOneClassKeepTheirType() {
        List<Shape> circles = new ArrayList<>(Arrays.asList(new Circle(1), null, new Circle(2)));

        assertThat(roundTrip(circles, new ParameterizedTypeReference<List<Shape>>() {}))
                .isEqualTo(circles);
        assertThat(roundTrip(circles, new ParameterizedTypeReference<List<Circle>>() {}))
                .isEqualTo(circles);
    }

    @Test
    void setsAndMapsAndTheirNestingKeepTypes() {
        Set<Shape> set = Set.of(new Circle(1));
        Map<String, Shape> map = Map.of("a", new Square(1));
        Map<Integer, List<Shape>> nested = Map.of(1, List.of(new Circle(1), new Square(1)), 2, List.of());

        assertThat(roundTrip(set, new ParameterizedTypeReference<Set<Shape>>() {}))
                .isEqualTo(set);
        assertThat(roundTrip(map, new ParameterizedTypeReference<Map<String, Shape>>() {}))
                .isEqualTo(map);
        assertThat(roundTrip(nested, new ParameterizedTypeReference<Map<Integer, List<Shape>>>() {}))
                .isEqualTo(nested);
    }

    @Test
    void collectionClassOfTheUsersOwnKeepsTypes() {
        Shapes shapes = new Shapes();
        shapes.add(new Circle(1));

        assertThat(converter.fromBytes(converter.toBytes(shapes), Shapes.class)).isEqualTo(shapes);
    }

    @Test
    void typeInformationOfAMixinCounts() {
        JsonPayloadConverter withMixin = new JsonPayloadConverter(
                JsonMapper.builder().addMixIn(Plain.class, PlainMixin.class).build());
        List<Plain> plain = List.of(new Plainer(1));

        byte[] bytes = withMixin.toBytes(plain);

        assertThat(withMixin.fromBytes(bytes, new ParameterizedTypeReference<List<Plain>>() {}.getType()))
                .isEqualTo(plain);
    }

    @Test
    void collectionsWithoutTypeInformationAreUnchanged() {
        assertThat(text(converter.toBytes(List.of(1, "a", Map.of("k", List.of())))))
                .isEqualTo("[1,\"a\",{\"k\":[]}]");
        assertThat(text(converter.toBytes(List.of()))).isEqualTo("[]");
        assertThat(text(converter.toBytes(Map.of()))).isEqualTo("{}");
    }

    @Test
    void genericClassKeepsTypesIfItsTypeIsGiven() {
        Envelope<Shape> envelope = new Envelope<>(new Circle(1));
        Type type = new ParameterizedTypeReference<Envelope<Shape>>() {}.getType();

        assertThat(converter.fromBytes(converter.toBytes(envelope, type), type)).isEqualTo(envelope);
    }

    @Test
    void payloadOfAnotherTypeThanGivenIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> converter.toBytes("text", Circle.class))
                .withMessageContaining("is a java.lang.String, not a " + Circle.class.getName());
    }

    private Object roundTrip(Object payload, ParameterizedTypeReference<?> type) {
        return converter.fromBytes(converter.toBytes(payload), type.getType());
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    @JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "kind")
    @JsonSubTypes({
        @JsonSubTypes.Type(value = Circle.class, name = "circle"),
        @JsonSubTypes.Type(value = Square.class, name = "square")
    })
    interface Shape {}

    record Circle(int radius) implements Shape {}

    record Square(int side) implements Shape {}

    static class Shapes extends ArrayList<Shape> {
        private static final long serialVersionUID = 1L;
    }

    record Envelope<T>(T content) {}

    interface Plain {}

    record Plainer(int n) implements Plain {}

    @JsonTypeInfo(use = JsonTypeInfo.Id.NAME)
    @JsonSubTypes(@JsonSubTypes.Type(value = Plainer.class, name = "plainer"))
    interface PlainMixin {}
}
