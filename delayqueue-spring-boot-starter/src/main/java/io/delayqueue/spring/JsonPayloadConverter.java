package io.delayqueue.spring;

import java.lang.reflect.Type;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.json.JsonMapper;

/**
 * Converts payloads to and from JSON with the application's own mapper. {@code byte[]} and {@code String} (as UTF-8) are
 * unchanged in both directions: a listener that takes one of them gets exactly the stored bytes.
 */
public final class JsonPayloadConverter implements PayloadConverter {

    private final JsonMapper mapper;

    /** A converter that reads and writes JSON with this mapper. */
    public JsonPayloadConverter(JsonMapper mapper) {
        this.mapper = mapper;
    }

    @Override
    public byte[] toBytes(Object payload) {
        if (payload instanceof byte[] bytes) {
            return bytes;
        }
        if (payload instanceof String text) {
            return text.getBytes(StandardCharsets.UTF_8);
        }
        try {
            return mapper.writeValueAsBytes(payload);
        } catch (JacksonException e) {
            throw new PayloadConversionException(
                    "can't write a " + payload.getClass().getTypeName() + " as JSON: " + e.getOriginalMessage(), e);
        }
    }

    @Override
    public Object fromBytes(byte[] bytes, Type type) {
        if (type == byte[].class) {
            return bytes;
        }
        if (type == String.class || type == CharSequence.class) {
            return text(bytes);
        }
        JavaType javaType = mapper.constructType(type);
        try {
            Object payload = mapper.readValue(bytes, javaType);
            if (payload == null) {
                throw new PayloadConversionException("the payload is JSON null, not a " + type.getTypeName(), null);
            }
            return payload;
        } catch (JacksonException e) {
            throw new PayloadConversionException(
                    "can't read " + bytes.length + " bytes as " + type.getTypeName() + ": " + e.getOriginalMessage(),
                    e);
        }
    }

    private static String text(byte[] bytes) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (CharacterCodingException e) {
            throw new PayloadConversionException("the payload's " + bytes.length + " bytes are not UTF-8 text", e);
        }
    }
}
