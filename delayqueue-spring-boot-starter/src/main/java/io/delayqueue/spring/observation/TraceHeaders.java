package io.delayqueue.spring.observation;

import io.delayqueue.spring.HeaderContributor;
import io.micrometer.tracing.TraceContext;
import io.micrometer.tracing.Tracer;
import io.micrometer.tracing.propagation.Propagator;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Adds the current trace context to the headers of scheduled messages, such as {@code traceparent}. */
public final class TraceHeaders implements HeaderContributor {

    private final Supplier<@Nullable Tracer> tracer;
    private final Supplier<@Nullable Propagator> propagator;

    /**
     * Headers from this tracer's current context.
     *
     * @param tracer supplies the application's tracer for each message; null if there is none
     * @param propagator supplies the format of the headers; null if there is none
     */
    public TraceHeaders(Supplier<@Nullable Tracer> tracer, Supplier<@Nullable Propagator> propagator) {
        this.tracer = tracer;
        this.propagator = propagator;
    }

    @Override
    public void addTo(String topic, BiConsumer<String, String> headers) {
        Tracer currentTracer = tracer.get();
        Propagator currentPropagator = propagator.get();
        if (currentTracer == null || currentPropagator == null) {
            return;
        }
        TraceContext context = currentTracer.currentTraceContext().context();
        if (context != null) {
            currentPropagator.inject(context, headers, (target, name, value) -> {
                if (target != null) {
                    target.accept(name, value);
                }
            });
        }
    }
}
