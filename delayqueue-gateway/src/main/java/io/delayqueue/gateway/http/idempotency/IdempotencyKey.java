package io.delayqueue.gateway.http.idempotency;

import io.delayqueue.gateway.http.problem.ProblemException;
import org.jspecify.annotations.Nullable;

/**
 * Value of the header Idempotency-Key: a text in quotes, as structured fields (RFC 9651) have it.
 *
 * @param value the text without quotes, 1 to 255 printable characters
 */
record IdempotencyKey(String value) {

    static final String HEADER = "Idempotency-Key";

    private static final int LONGEST = 255;

    /** The key of a header; null if there is no header. */
    static @Nullable IdempotencyKey parse(@Nullable String header) {
        if (header == null) {
            return null;
        }
        String text = header.strip();
        if (text.length() < 2 || text.charAt(0) != '"' || text.charAt(text.length() - 1) != '"') {
            throw invalid("must be a string in double quotes");
        }
        StringBuilder value = new StringBuilder();
        for (int i = 1; i < text.length() - 1; i++) {
            char c = text.charAt(i);
            if (c == '\\') {
                i++;
                c = text.charAt(i);
                if (i == text.length() - 1 || (c != '"' && c != '\\')) {
                    throw invalid("has a backslash that stands before neither a quote nor a backslash");
                }
            } else if (c == '"') {
                throw invalid("must be one string in double quotes");
            }
            if (c < ' ' || c > '~') {
                throw invalid("may have printable ASCII characters only");
            }
            value.append(c);
        }
        if (value.isEmpty() || value.length() > LONGEST) {
            throw invalid("must have 1 to " + LONGEST + " characters");
        }
        return new IdempotencyKey(value.toString());
    }

    private static ProblemException invalid(String detail) {
        return ProblemException.invalid(HEADER, detail);
    }
}
