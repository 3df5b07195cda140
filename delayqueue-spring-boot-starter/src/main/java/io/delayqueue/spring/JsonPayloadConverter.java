package io.delayqueue.spring;

import java.lang.reflect.Type;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.concurrent.ConcurrentHashMap;
import tools.jackson.core.JacksonException;
import tools.jackson.core.exc.JacksonIOException;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.ObjectReader;
import tools.jackson.databind.ObjectWriter;
import tools.jackson.databind.json.JsonMapper;

/**
 * Converts payloads to and from JSON. {@code byte[]} and {@code String} (as UTF-8) are unchanged in both directions: a listener
 * that takes one of them gets exactly the stored bytes. The elements of a collection or map are written with their type
 * information ({@code @JsonTypeInfo}), as a {@code List<Shape>} is read with it.
 */
public final class JsonPayloadConverter implements PayloadConverter {

    /** Exceptions with which constructors, setters and conversions refuse a value. */
    private static final List<Class<? extends RuntimeException>> REFUSALS_OF_A_VALUE = List.of(
            IllegalArgumentException.class,
            NullPointerException.class,
            DateTimeException.class,
            ArithmeticException.class,
            ClassCastException.class,
            IndexOutOfBoundsException.class,
            NoSuchElementException.class);

    private final JsonMapper mapper;
    private final JsonPayloadTypes types;

    /** To find type and deserializer for each message takes longer than to make its parser. */
    private final Map<Type, ObjectReader> readers = new ConcurrentHashMap<>();

    /** A converter that reads and writes JSON with this mapper. */
    public JsonPayloadConverter(JsonMapper mapper) {
        this.mapper = mapper;
        this.types = new JsonPayloadTypes(mapper);
    }

    @Override
    public byte[] toBytes(Object payload) {
        JavaType type = types.typeOf(payload);
        return write(payload, type == null ? mapper.writer() : mapper.writerFor(type));
    }

    @Override
    public byte[] toBytes(Object payload, Type type) {
        JavaType javaType = mapper.constructType(type);
        if (!javaType.isTypeOrSuperTypeOf(payload.getClass())) {
            throw new IllegalArgumentException(
                    "the payload is a " + payload.getClass().getTypeName() + ", not a " + type.getTypeName());
        }
        return write(payload, mapper.writerFor(javaType));
    }

    private static byte[] write(Object payload, ObjectWriter writer) {
        if (payload instanceof byte[] bytes) {
            return bytes;
        }
        if (payload instanceof String text) {
            return text.getBytes(StandardCharsets.UTF_8);
        }
        try {
            return writer.writeValueAsBytes(payload);
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
        ObjectReader reader = readers.get(type);
        if (reader == null) {
            reader = mapper.readerFor(mapper.constructType(type));
            readers.put(type, reader);
        }
        try {
            Object payload = reader.readValue(bytes);
            if (payload == null) {
                throw new PayloadConversionException("the payload is JSON null, not a " + type.getTypeName(), null);
            }
            return payload;
        } catch (JacksonException e) {
            rethrowUnlessAboutTheBytes(e);
            throw new PayloadConversionException(
                    "can't read " + bytes.length + " bytes as " + type.getTypeName() + ": " + e.getOriginalMessage(),
                    e);
        }
    }

    /**
     * Rethrows the exception of a deserializer, constructor or setter of the application, unless it refuses a value. A deserializer
     * whose registry or database is unavailable can read the same bytes later.
     */
    private static void rethrowUnlessAboutTheBytes(JacksonException e) {
        Throwable origin = e;
        while (origin instanceof JacksonException && origin.getCause() != null) {
            if (origin instanceof JacksonIOException io) { // the bytes are in memory
                throw io;
            }
            origin = origin.getCause();
        }
        if (origin instanceof RuntimeException failure
                && !(failure instanceof JacksonException)
                && REFUSALS_OF_A_VALUE.stream().noneMatch(type -> type.isInstance(failure))) {
            throw failure;
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
