package io.delayqueue.gateway.sqs.signature;

import io.delayqueue.gateway.sqs.protocol.SqsError;
import io.delayqueue.gateway.sqs.protocol.SqsException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A request's description of its signature, in the header {@code Authorization} or in the query of a presigned URL.
 *
 * @param expiresSeconds how long a presigned URL is good; null for the header
 */
record Authorization(
        Scope.Credential credential,
        List<String> signedHeaders,
        String signature,
        String timestamp,
        @Nullable String expiresSeconds) {

    private static final String ALGORITHM = "AWS4-HMAC-SHA256";

    static Authorization of(SignedRequest request) {
        String header = request.header("authorization");
        if (header != null) {
            return ofHeader(header, request);
        }
        Map<String, String> query = query(request.rawQuery());
        if (!query.containsKey("X-Amz-Algorithm")) {
            throw new SqsException(SqsError.MISSING_AUTHENTICATION_TOKEN, "The request must be signed.");
        }
        requireAlgorithm(String.valueOf(query.get("X-Amz-Algorithm")));
        return new Authorization(
                Scope.parse(required(query, "X-Amz-Credential")),
                headers(required(query, "X-Amz-SignedHeaders")),
                required(query, "X-Amz-Signature"),
                required(query, "X-Amz-Date"),
                required(query, "X-Amz-Expires"));
    }

    private static Authorization ofHeader(String header, SignedRequest request) {
        int space = header.indexOf(' ');
        requireAlgorithm(space < 0 ? header : header.substring(0, space));
        Map<String, String> fields = new HashMap<>();
        for (String field : header.substring(space + 1).split(",")) {
            int equals = field.indexOf('=');
            if (equals > 0) {
                fields.put(
                        field.substring(0, equals).strip(),
                        field.substring(equals + 1).strip());
            }
        }
        String timestamp = request.header("x-amz-date");
        if (timestamp == null) {
            throw incomplete("X-Amz-Date");
        }
        return new Authorization(
                Scope.parse(required(fields, "Credential")),
                headers(required(fields, "SignedHeaders")),
                required(fields, "Signature"),
                timestamp,
                null);
    }

    private static Map<String, String> query(@Nullable String rawQuery) {
        Map<String, String> fields = new HashMap<>();
        for (String field : rawQuery == null ? new String[0] : rawQuery.split("&")) {
            int equals = field.indexOf('=');
            if (field.startsWith("X-Amz-") && equals > 0) {
                fields.put(field.substring(0, equals), decode(field.substring(equals + 1)));
            }
        }
        return fields;
    }

    private static String decode(String text) {
        try {
            return URLDecoder.decode(text, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            throw new SqsException(SqsError.INCOMPLETE_SIGNATURE, "The query has an escape that is not %XX.");
        }
    }

    private static void requireAlgorithm(String algorithm) {
        if (!algorithm.equals(ALGORITHM)) {
            throw new SqsException(SqsError.INCOMPLETE_SIGNATURE, "The signature must be of " + ALGORITHM + ".");
        }
    }

    private static List<String> headers(String names) {
        return List.of(names.split(";"));
    }

    private static String required(Map<String, String> fields, String name) {
        String value = fields.get(name);
        if (value == null || value.isEmpty()) {
            throw incomplete(name);
        }
        return value;
    }

    private static SqsException incomplete(String name) {
        return new SqsException(SqsError.INCOMPLETE_SIGNATURE, "The signature requires " + name + ".");
    }
}
