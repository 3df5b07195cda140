package io.delayqueue.gateway.sqs.signature;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A request as it came, nothing decoded.
 *
 * @param method its method
 * @param rawPath the path of its URL
 * @param rawQuery the query of its URL, or null
 * @param headers its headers by their names in lower case, {@code host} with the port as sent
 * @param body its body, not copied
 */
public record SignedRequest(
        String method, String rawPath, @Nullable String rawQuery, Map<String, List<String>> headers, byte[] body) {

    /** The same with another body, not copied. */
    public SignedRequest withBody(byte[] other) {
        return new SignedRequest(method, rawPath, rawQuery, headers, other);
    }

    /** The only value of a header, or null. */
    @Nullable
    String header(String name) {
        List<String> values = headers.getOrDefault(name, List.of());
        return values.size() == 1 ? values.get(0) : null;
    }
}
