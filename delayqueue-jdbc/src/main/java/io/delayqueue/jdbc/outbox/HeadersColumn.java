package io.delayqueue.jdbc.outbox;

import java.io.StringWriter;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.TokenStreamFactory;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.core.json.JsonWriteFeature;

/**
 * Headers as the column {@code headers} keeps them: a JSON object of strings in ASCII, sorted by name, so that no database's character
 * set changes them; null for none.
 */
public final class HeadersColumn {

    /** Names are any text of the application's, so they are neither bounded in length nor kept for later objects. */
    private static final JsonFactory JSON = JsonFactory.builder()
            .enable(JsonWriteFeature.ESCAPE_NON_ASCII)
            .disable(TokenStreamFactory.Feature.CANONICALIZE_PROPERTY_NAMES)
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNameLength(Integer.MAX_VALUE)
                    .maxStringLength(Integer.MAX_VALUE)
                    .build())
            .build();

    private HeadersColumn() {}

    /** Headers as text; null for none. */
    public static @Nullable String encode(Map<String, String> headers) {
        if (headers.isEmpty()) {
            return null;
        }
        StringWriter json = new StringWriter();
        try (JsonGenerator generator = JSON.createGenerator(ObjectWriteContext.empty(), json)) {
            generator.writeStartObject();
            new TreeMap<>(headers).forEach(generator::writeStringProperty);
            generator.writeEndObject();
        }
        return json.toString();
    }

    /**
     * The headers of a text.
     *
     * @throws IllegalArgumentException if it is no JSON object of strings
     */
    public static Map<String, String> decode(@Nullable String json) {
        if (json == null) {
            return Map.of();
        }
        try (JsonParser parser = JSON.createParser(ObjectReadContext.empty(), json)) {
            return headers(parser);
        } catch (JacksonException e) {
            throw new IllegalArgumentException("headers are no JSON object of strings: " + e.getOriginalMessage(), e);
        }
    }

    private static Map<String, String> headers(JsonParser parser) {
        require(parser.nextToken() == JsonToken.START_OBJECT, parser);
        Map<String, String> headers = new LinkedHashMap<>();
        while (parser.nextToken() != JsonToken.END_OBJECT) {
            String name = parser.currentName();
            require(parser.nextToken() == JsonToken.VALUE_STRING, parser);
            headers.put(name, parser.getString());
        }
        require(parser.nextToken() == null, parser);
        return headers;
    }

    private static void require(boolean expected, JsonParser parser) {
        if (!expected) {
            throw new IllegalArgumentException("headers are no JSON object of strings: "
                    + parser.currentLocation().offsetDescription());
        }
    }
}
