package io.delayqueue.jdbc.outbox;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The trace of a call, as a row of the outbox keeps it: the header of W3C's trace context. */
public final class TraceParent {

    /** Name of the header. */
    public static final String HEADER = "traceparent";

    /** Width of the column. */
    private static final int LONGEST = 255;

    private TraceParent() {}

    /** The trace among headers; null if there is none that a row can keep. */
    public static @Nullable String of(Map<String, String> headers) {
        String trace = headers.get(HEADER);
        return trace != null && trace.length() <= LONGEST && trace.chars().allMatch(c -> c >= ' ' && c <= '~')
                ? trace
                : null;
    }
}
