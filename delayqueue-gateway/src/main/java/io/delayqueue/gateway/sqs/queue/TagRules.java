package io.delayqueue.gateway.sqs.queue;

import io.delayqueue.gateway.sqs.protocol.SqsError;
import io.delayqueue.gateway.sqs.protocol.SqsException;
import java.util.Collection;
import java.util.Map;
import java.util.regex.Pattern;

/** Tags that a queue may have: as many, as long, and of the characters that AWS allows. */
final class TagRules {

    private static final int MAX_TAGS = 50;
    private static final int MAX_KEY = 128;
    private static final int MAX_VALUE = 256;
    private static final Pattern ALLOWED = Pattern.compile("[\\p{L}\\p{N}\\p{Z}_.:/=+@-]*");

    private TagRules() {}

    /** Refuses tags that a client wants to set. */
    static void check(Map<String, String> tags) {
        checkKeys(tags.keySet());
        tags.forEach((key, value) -> {
            if (length(value) > MAX_VALUE) {
                throw invalid("Tag values must be between 0 and " + MAX_VALUE + " characters in length.");
            }
            requireCharacters(value);
        });
    }

    /** Refuses keys that no tag can have. */
    static void checkKeys(Collection<String> keys) {
        for (String key : keys) {
            if (key.isEmpty() || length(key) > MAX_KEY) {
                throw invalid("Tag keys must be between 1 and " + MAX_KEY + " characters in length.");
            }
            if (key.regionMatches(true, 0, "aws:", 0, 4)) {
                throw invalid("Tag keys that begin with aws: are reserved.");
            }
            requireCharacters(key);
        }
    }

    /** Refuses more tags than a queue can have. */
    static void checkCount(String queue, Map<String, String> tags) {
        if (tags.size() > MAX_TAGS) {
            throw invalid("Too many tags added for queue " + queue + ": a queue has at most " + MAX_TAGS + ".");
        }
    }

    private static int length(String text) {
        return text.codePointCount(0, text.length());
    }

    private static void requireCharacters(String text) {
        if (!ALLOWED.matcher(text).matches()) {
            throw invalid("Tags consist of letters, digits, white space, and _ . : / = + - @.");
        }
    }

    private static SqsException invalid(String reason) {
        return new SqsException(SqsError.INVALID_PARAMETER_VALUE, reason);
    }
}
