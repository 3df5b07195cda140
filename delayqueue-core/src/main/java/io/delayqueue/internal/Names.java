package io.delayqueue.internal;

import java.nio.charset.StandardCharsets;

/** Refuses topics and ids that cannot be kept, in the words a caller needs. */
public final class Names {

    private static final int LONGEST_TOPIC = 200;
    private static final int LONGEST_ID = 512;

    private Names() {}

    /** The topic itself, or an {@link IllegalArgumentException}. */
    public static String requireTopic(String topic) {
        if (topic.isEmpty() || topic.length() > LONGEST_TOPIC) {
            throw new IllegalArgumentException("a topic needs 1 to " + LONGEST_TOPIC + " characters, but '"
                    + abbreviate(topic) + "' has " + topic.length());
        }
        for (int i = 0; i < topic.length(); i++) {
            char c = topic.charAt(i);
            if (c == '{'
                    || c == '}'
                    || Character.isWhitespace(c)
                    || Character.isSpaceChar(c)
                    || Character.isISOControl(c)) {
                throw new IllegalArgumentException(
                        "topic '" + abbreviate(topic) + "' has a character that is not allowed at " + i
                                + ": no braces, blanks or control characters");
            }
        }
        requireWholeCharacters(topic, "topic '" + abbreviate(topic) + "'");
        return topic;
    }

    /** The id itself, or an {@link IllegalArgumentException}. */
    public static String requireId(String topic, String id) {
        int bytes = id.length() > LONGEST_ID ? id.length() : id.getBytes(StandardCharsets.UTF_8).length;
        if (id.isEmpty() || bytes > LONGEST_ID) {
            throw new IllegalArgumentException("an id needs 1 to " + LONGEST_ID + " bytes, but '" + abbreviate(id)
                    + "' for topic '" + topic + "' has " + bytes);
        }
        requireWholeCharacters(id, "id '" + abbreviate(id) + "' for topic '" + topic + "'");
        return id;
    }

    /** A lone surrogate has no UTF-8: two names that differ in one would be the same in Redis. */
    private static void requireWholeCharacters(String text, String name) {
        for (int i = 0; i < text.length(); i++) {
            if (Character.isSurrogate(text.charAt(i))) {
                if (!Character.isSupplementaryCodePoint(text.codePointAt(i))) {
                    throw new IllegalArgumentException(name + " has half a character (a lone surrogate) at " + i);
                }
                i++;
            }
        }
    }

    private static String abbreviate(String text) {
        return text.length() <= 60 ? text : text.substring(0, 60) + "…";
    }
}
