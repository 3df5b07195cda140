package io.delayqueue.gateway.http.body;

import java.util.Base64;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * A payload in an answer, as JSON or as its bytes. It is JSON if the message's content type says so and it is. It is, too, if the message
 * has no content type, as those of Java have, and it is a JSON object or array.
 *
 * @param json the payload as JSON; null if it is not
 * @param base64 the bytes of a payload that is not JSON
 */
record PayloadView(@Nullable JsonNode json, @Nullable String base64) {

    static PayloadView of(byte[] payload, Map<String, String> headers, Json json) {
        String type = contentType(headers);
        if (type == null ? looksLikeJson(payload) : isJson(type)) {
            JsonNode tree = json.readPayload(payload);
            if (!tree.isMissingNode()) {
                return new PayloadView(tree, null);
            }
        }
        return new PayloadView(null, Base64.getEncoder().encodeToString(payload));
    }

    private static @Nullable String contentType(Map<String, String> headers) {
        String exact = headers.get(MessageRequestReader.CONTENT_TYPE);
        return exact != null
                ? exact
                : headers.entrySet().stream()
                        .filter(header -> header.getKey().equalsIgnoreCase(MessageRequestReader.CONTENT_TYPE))
                        .map(Map.Entry::getValue)
                        .findFirst()
                        .orElse(null);
    }

    /** Of any charset: JSON is UTF-8, and bytes that are not are no JSON. */
    private static boolean isJson(String contentType) {
        String type = contentType.split(";", 2)[0].strip().toLowerCase(Locale.ROOT);
        return type.equals(MessageRequestReader.JSON_TYPE) || type.startsWith("application/") && type.endsWith("+json");
    }

    /** Numbers and texts are no sign of JSON. */
    private static boolean looksLikeJson(byte[] payload) {
        return payload.length >= 2
                && (payload[0] == '{' && payload[payload.length - 1] == '}'
                        || payload[0] == '[' && payload[payload.length - 1] == ']');
    }
}
