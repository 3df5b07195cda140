package io.delayqueue.jdbc.autoconfigure;

import io.delayqueue.jdbc.outbox.TraceParent;
import io.delayqueue.spring.HeaderContributor;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The trace context of a call that has no message: the header that the application's contributors would add to one. */
record TraceContext(List<HeaderContributor> contributors) implements Function<String, @Nullable String> {

    @Override
    public @Nullable String apply(String topic) {
        Map<String, String> headers = new HashMap<>();
        contributors.forEach(contributor -> contributor.addTo(topic, headers::put));
        return TraceParent.of(headers);
    }
}
