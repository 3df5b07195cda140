package io.delayqueue.gateway.sqs;

import io.delayqueue.gateway.sqs.protocol.MessageCharacters;
import io.delayqueue.gateway.sqs.protocol.Parameters;
import io.delayqueue.gateway.sqs.protocol.SqsError;
import io.delayqueue.gateway.sqs.protocol.SqsException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The value of a message attribute.
 *
 * @param dataType {@code String}, {@code Number} or {@code Binary}, and perhaps a custom type after a dot
 * @param text its text, or its bytes as Base64
 */
public record MessageAttribute(String dataType, String text) {

    private static final Set<String> BASIC_TYPES = Set.of("String", "Number", "Binary");

    /**
     * Reads an attribute of a request.
     *
     * @throws SqsException if its type is unknown, or its value is missing or of another type
     */
    static MessageAttribute of(String name, Parameters parameters) {
        String dataType = parameters.text("DataType");
        if (dataType == null || dataType.isEmpty()) {
            throw invalid(name, "must contain a non-empty message attribute type");
        }
        int dot = dataType.indexOf('.');
        String basic = dot < 0 ? dataType : dataType.substring(0, dot);
        if (!BASIC_TYPES.contains(basic) || dataType.length() > 256) {
            throw invalid(
                    name,
                    "has an invalid message attribute type, the set of supported type prefixes is Binary, Number, and String");
        }
        MessageAttribute attribute = new MessageAttribute(dataType, value(name, parameters, basic));
        attribute.requireValid(name);
        return attribute;
    }

    private static String value(String name, Parameters parameters, String basicType) {
        @Nullable String value = parameters.text(basicType.equals("Binary") ? "BinaryValue" : "StringValue");
        if (value == null || value.isEmpty()) {
            throw invalid(name, "must contain a non-empty value of type '" + basicType + "'");
        }
        return value;
    }

    private void requireValid(String name) {
        if (isBinary()) {
            try {
                bytes();
            } catch (IllegalArgumentException e) {
                throw invalid(name, "must contain Base64 in BinaryValue");
            }
        } else if (!MessageCharacters.areAllowed(text)) {
            throw new SqsException(
                    SqsError.INVALID_MESSAGE_CONTENTS,
                    "The message attribute '" + name + "' contains characters outside the allowed set.");
        } else if (dataType.startsWith("Number")) {
            requireNumber(name);
        }
    }

    private void requireNumber(String name) {
        if (!text.matches("[+-]?(\\d+(\\.\\d*)?|\\.\\d+)([eE][+-]?\\d{1,3})?") || text.length() > 256) {
            throw invalid(name, "can't be cast to a number");
        }
    }

    /** Whether the value has bytes. */
    public boolean isBinary() {
        return dataType.equals("Binary") || dataType.startsWith("Binary.");
    }

    /** The value's bytes. */
    byte[] bytes() {
        return isBinary() ? Base64.getDecoder().decode(text) : text.getBytes(StandardCharsets.UTF_8);
    }

    private static SqsException invalid(String name, String reason) {
        return new SqsException(
                SqsError.INVALID_PARAMETER_VALUE, "The message attribute '" + name + "' " + reason + ".");
    }
}
