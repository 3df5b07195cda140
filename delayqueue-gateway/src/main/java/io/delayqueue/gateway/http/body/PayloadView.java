package io.delayqueue.gateway.http.body;

import java.util.Base64;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * A payload in an answer: JSON if the message's header says so and it is, else its bytes.
 *
 * @param json the payload as JSON; null if it is not
 * @param base64 the bytes of a payload that is not JSON
 */
record PayloadView(@Nullable JsonNode json, @Nullable String base64) {

    static PayloadView of(byte[] payload, Map<String, String> headers, Json json) {
        if (MessageRequestReader.isJson(headers)) {
            JsonNode tree = json.readPayload(payload);
            if (!tree.isMissingNode()) {
                return new PayloadView(tree, null);
            }
        }
        return new PayloadView(null, Base64.getEncoder().encodeToString(payload));
    }
}
