package io.delayqueue.gateway.sqs.protocol;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Decoded fields of forms; the last one of a name counts. */
final class FormFields {

    /** Ten entries with ten attributes of four fields each, and as much again. */
    private static final int MAX_FIELDS = 1_000;

    private final Map<String, String> fields = new LinkedHashMap<>();

    /** Adds the fields of a form or of a URL's query. */
    void add(String form) {
        int start = 0;
        while (start < form.length()) {
            int end = form.indexOf('&', start);
            end = end < 0 ? form.length() : end;
            if (end > start) {
                addField(form.substring(start, end));
            }
            start = end + 1;
        }
    }

    private void addField(String field) {
        int equals = field.indexOf('=');
        String name = equals < 0 ? field : field.substring(0, equals);
        String value = equals < 0 ? "" : field.substring(equals + 1);
        fields.put(decode(name), decode(value));
        if (fields.size() > MAX_FIELDS) {
            throw new SqsException(
                    SqsError.MALFORMED_INPUT, "The request has more than " + MAX_FIELDS + " parameters.");
        }
    }

    private static String decode(String text) {
        try {
            return URLDecoder.decode(text, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            throw new SqsException(SqsError.MALFORMED_INPUT, "The request has an escape that is not %XX.");
        }
    }

    /** Removes a field. */
    @Nullable
    String remove(String name) {
        return fields.remove(name);
    }

    /** The fields in their order. */
    Map<String, String> byName() {
        return fields;
    }
}
