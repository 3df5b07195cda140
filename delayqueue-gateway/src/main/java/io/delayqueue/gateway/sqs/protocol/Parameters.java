package io.delayqueue.gateway.sqs.protocol;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Parameters of a request or of one entry of a batch. Each getter refuses a value of another type by the parameter's name. */
public final class Parameters {

    private final ObjectNode tree;

    public Parameters(ObjectNode tree) {
        this.tree = tree;
    }

    /**
     * The value of a text.
     *
     * @throws SqsException if it is missing
     */
    public String required(String name) {
        String value = text(name);
        if (value == null) {
            throw new SqsException(SqsError.MISSING_PARAMETER, "The request must contain the parameter " + name + ".");
        }
        return value;
    }

    /** The value of a text, or null. */
    public @Nullable String text(String name) {
        JsonNode value = present(name);
        if (value == null) {
            return null;
        }
        if (!value.isString()) {
            throw mustBe(name, "a string");
        }
        return value.stringValue();
    }

    /** The value of a whole number, also one written as text, within bounds, or null. */
    public @Nullable Long number(String name, long least, long most) {
        JsonNode value = present(name);
        if (value == null) {
            return null;
        }
        long number = toLong(name, value);
        if (number < least || number > most) {
            throw invalid("Value " + number + " for parameter " + name + " is invalid. Reason: must be between " + least
                    + " and " + most + ".");
        }
        return number;
    }

    /** The texts of a list; empty if it is missing. */
    public List<String> texts(String name) {
        List<String> texts = new ArrayList<>();
        for (JsonNode item : items(name)) {
            if (!item.isString()) {
                throw mustBe(name, "a list of strings");
            }
            texts.add(item.stringValue());
        }
        return texts;
    }

    /** The structures of a list; empty if it is missing. */
    public List<Parameters> structures(String name) {
        List<Parameters> structures = new ArrayList<>();
        for (JsonNode item : items(name)) {
            if (!(item instanceof ObjectNode structure)) {
                throw mustBe(name, "a list of structures");
            }
            structures.add(new Parameters(structure));
        }
        return structures;
    }

    /** The texts of a map in their order; empty if it is missing. */
    public Map<String, String> textMap(String name) {
        Map<String, String> texts = new LinkedHashMap<>();
        for (Map.Entry<String, JsonNode> entry : properties(name).properties()) {
            if (!entry.getValue().isString()) {
                throw mustBe(name, "a map of strings");
            }
            texts.put(entry.getKey(), entry.getValue().stringValue());
        }
        return texts;
    }

    /** The structures of a map in their order; empty if it is missing. */
    public Map<String, Parameters> structureMap(String name) {
        Map<String, Parameters> structures = new LinkedHashMap<>();
        for (Map.Entry<String, JsonNode> entry : properties(name).properties()) {
            if (!(entry.getValue() instanceof ObjectNode structure)) {
                throw mustBe(name, "a map of structures");
            }
            structures.put(entry.getKey(), new Parameters(structure));
        }
        return structures;
    }

    private static long toLong(String name, JsonNode value) {
        if (value.isIntegralNumber() && value.canConvertToLong()) {
            return value.longValue();
        }
        if (value.isString()) {
            try {
                return Long.parseLong(value.stringValue());
            } catch (NumberFormatException e) {
                throw mustBe(name, "a whole number");
            }
        }
        throw mustBe(name, "a whole number");
    }

    private Iterable<JsonNode> items(String name) {
        JsonNode value = present(name);
        if (value == null) {
            return List.of();
        }
        if (!value.isArray()) {
            throw mustBe(name, "a list");
        }
        return value.values();
    }

    private JsonNode properties(String name) {
        JsonNode value = present(name);
        if (value == null) {
            return tree.objectNode();
        }
        if (!value.isObject()) {
            throw mustBe(name, "a map");
        }
        return value;
    }

    private @Nullable JsonNode present(String name) {
        JsonNode value = tree.get(name);
        return value == null || value.isNull() ? null : value;
    }

    private static SqsException mustBe(String name, String type) {
        return invalid("Value for parameter " + name + " is invalid. Reason: must be " + type + ".");
    }

    private static SqsException invalid(String message) {
        return new SqsException(SqsError.INVALID_PARAMETER_VALUE, message);
    }
}
