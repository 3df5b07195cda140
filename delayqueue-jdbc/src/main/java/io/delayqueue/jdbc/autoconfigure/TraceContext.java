package io.delayqueue.jdbc.autoconfigure;

import io.delayqueue.spring.HeaderContributor;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The trace context that a call's rows carry: the header of the W3C that the application's contributors add to its messages. */
record TraceContext(List<HeaderContributor> contributors) implements Function<String, @Nullable String> {

    private static final String HEADER = "traceparent";

    /** Width of the column. */
    private static final int LONGEST = 255;

    @Override
    public @Nullable String apply(String topic) {
        AtomicReference<@Nullable String> found = new AtomicReference<>();
        for (HeaderContributor contributor : contributors) {
            contributor.addTo(topic, (name, value) -> {
                if (name.equals(HEADER)) {
                    found.set(value);
                }
            });
        }
        String trace = found.get();
        return trace != null && trace.length() <= LONGEST && trace.chars().allMatch(c -> c >= ' ' && c <= '~')
                ? trace
                : null;
    }
}
