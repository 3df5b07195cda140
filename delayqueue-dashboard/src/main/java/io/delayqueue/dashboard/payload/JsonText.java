package io.delayqueue.dashboard.payload;

import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.databind.json.JsonMapper;

/** Writes JSON prettily, token by token: numbers stay as they were sent, and no tree of a large payload is made. One use. */
final class JsonText {

    private static final JsonMapper MAPPER = JsonMapper.builder()
            .disable(StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION)
            .build();

    private final FieldMask mask;
    private final int maxChars;
    private final int maxValues;
    private final StringBuilder text = new StringBuilder();
    private final Deque<Level> levels = new ArrayDeque<>();
    private int values;
    private int masked;
    private boolean truncated;

    /** An object or array that is being written. */
    private static final class Level {
        final boolean shown;
        boolean isEmpty = true;

        @Nullable
        String field;

        Level(boolean shown) {
            this.shown = shown;
        }
    }

    /**
     * The text of a payload.
     *
     * @param text pretty JSON, or its begin
     * @param masked number of fields that were masked
     * @param truncated whether the rest was left out
     */
    record Pretty(String text, int masked, boolean truncated) {}

    private JsonText(FieldMask mask, int maxChars, int maxValues) {
        this.mask = mask;
        this.maxChars = maxChars;
        this.maxValues = maxValues;
    }

    /** The text of a payload; null if it is no JSON. */
    static @Nullable Pretty of(byte[] payload, FieldMask mask, int maxChars, int maxValues) {
        JsonText json = new JsonText(mask, maxChars, maxValues);
        try (JsonParser parser = MAPPER.createParser(payload)) {
            json.write(parser);
        } catch (JacksonException e) {
            return null;
        }
        return new Pretty(json.text.toString(), json.masked, json.truncated);
    }

    private void write(JsonParser parser) {
        JsonToken token = parser.nextToken();
        if (token == null) {
            return;
        }
        while (token != null) {
            if (isFull()) {
                truncated = true;
                return;
            }
            write(parser, token);
            token = parser.nextToken();
            if (token != null && levels.isEmpty()) {
                throw new TrailingTokenException(parser);
            }
        }
    }

    private boolean isFull() {
        return text.length() >= maxChars || values >= maxValues;
    }

    private void write(JsonParser parser, JsonToken token) {
        switch (token) {
            case PROPERTY_NAME -> levels.element().field = parser.currentName();
            case START_OBJECT -> begin(parser, '{');
            case START_ARRAY -> begin(parser, '[');
            case END_OBJECT -> end('}');
            case END_ARRAY -> end(']');
            default -> scalar(parser, token);
        }
    }

    private void begin(JsonParser parser, char bracket) {
        boolean shown = isShown();
        if (isMasked()) {
            masked(parser);
            return;
        }
        name();
        text.append(bracket);
        values++;
        levels.push(new Level(shown));
    }

    private void end(char bracket) {
        Level ended = levels.pop();
        if (!ended.isEmpty) {
            line();
        }
        text.append(bracket);
    }

    private void scalar(JsonParser parser, JsonToken token) {
        if (isMasked() || !isShown()) {
            masked(parser);
            return;
        }
        name();
        values++;
        if (token == JsonToken.VALUE_STRING) {
            string(parser.getString());
        } else {
            // a number as it was sent: 1.10 stays 1.10, and 2^63 stays exact
            text.append(parser.getString());
        }
    }

    private void masked(JsonParser parser) {
        name();
        text.append('"').append(FieldMask.MASKED).append('"');
        values++;
        masked++;
        parser.skipChildren();
    }

    private boolean isMasked() {
        String field = field();
        return field != null && mask.isMasked(field);
    }

    /** A field that is shown shows all in it. */
    private boolean isShown() {
        Level level = levels.peek();
        if (level == null) {
            return mask.isRootShown();
        }
        String field = level.field;
        return level.shown || (field != null && mask.isShown(field));
    }

    private @Nullable String field() {
        Level level = levels.peek();
        return level == null ? null : level.field;
    }

    /** The begin of a value's line. */
    private void name() {
        Level level = levels.peek();
        if (level == null) {
            return;
        }
        if (!level.isEmpty) {
            text.append(',');
        }
        level.isEmpty = false;
        line();
        String field = level.field;
        if (field != null) {
            string(field);
            text.append(": ");
        }
    }

    private void line() {
        text.append('\n');
        for (int i = 0; i < levels.size() && text.length() < maxChars; i++) {
            text.append("  ");
        }
    }

    private void string(String value) {
        int room = Math.max(1, maxChars - text.length());
        if (value.length() > room) {
            truncated = true;
            int end = Character.isHighSurrogate(value.charAt(room - 1)) ? room - 1 : room;
            String quoted = MAPPER.writeValueAsString(value.substring(0, end));
            text.append(quoted, 0, quoted.length() - 1).append('…');
            return;
        }
        text.append(MAPPER.writeValueAsString(value));
    }

    /** More follows the one value. */
    @SuppressWarnings("serial")
    private static final class TrailingTokenException extends JacksonException {
        TrailingTokenException(JsonParser parser) {
            super(parser, "more than one value");
        }
    }
}
