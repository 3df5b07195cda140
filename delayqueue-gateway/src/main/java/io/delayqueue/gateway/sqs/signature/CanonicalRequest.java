package io.delayqueue.gateway.sqs.signature;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The text of a request that both sides hash. */
final class CanonicalRequest {

    private static final String SIGNATURE_PARAMETER = "X-Amz-Signature=";

    private CanonicalRequest() {}

    static String of(SignedRequest request, List<String> signedHeaders) {
        StringBuilder text = new StringBuilder(512)
                .append(request.method())
                .append('\n')
                .append(path(request.rawPath()))
                .append('\n')
                .append(query(request.rawQuery()))
                .append('\n');
        for (String name : signedHeaders) {
            String values = request.headers().getOrDefault(name, List.of()).stream()
                    .map(value -> value.strip().replaceAll(" +", " "))
                    .collect(Collectors.joining(","));
            text.append(name).append(':').append(values).append('\n');
        }
        return text.append('\n')
                .append(String.join(";", signedHeaders))
                .append('\n')
                .append(Sha256.hex(request.body()))
                .toString();
    }

    /** All services but S3 encode the path once more. */
    private static String path(String rawPath) {
        if (rawPath.isEmpty()) {
            return "/";
        }
        StringBuilder path = new StringBuilder(rawPath.length());
        for (byte b : rawPath.getBytes(StandardCharsets.UTF_8)) {
            char c = (char) (b & 0xFF);
            boolean plain =
                    c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || "/-_.~".indexOf(c) >= 0;
            if (plain) {
                path.append(c);
            } else {
                path.append(String.format(Locale.ROOT, "%%%02X", (int) c));
            }
        }
        return path.toString();
    }

    private static String query(@Nullable String rawQuery) {
        if (rawQuery == null || rawQuery.isEmpty()) {
            return "";
        }
        record Field(String name, String value) {}
        List<Field> fields = new ArrayList<>();
        for (String field : rawQuery.split("&")) {
            if (!field.isEmpty() && !field.startsWith(SIGNATURE_PARAMETER)) {
                int equals = field.indexOf('=');
                fields.add(
                        equals < 0
                                ? new Field(field, "")
                                : new Field(field.substring(0, equals), field.substring(equals + 1)));
            }
        }
        return fields.stream()
                .sorted(Comparator.comparing(Field::name).thenComparing(Field::value))
                .map(field -> field.name() + "=" + field.value())
                .collect(Collectors.joining("&"));
    }
}
