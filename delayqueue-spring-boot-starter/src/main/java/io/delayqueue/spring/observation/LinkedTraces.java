package io.delayqueue.spring.observation;

import io.micrometer.observation.Observation;
import io.micrometer.tracing.Link;
import io.micrometer.tracing.Span;
import io.micrometer.tracing.TraceContext;
import io.micrometer.tracing.Tracer;
import io.micrometer.tracing.handler.PropagatingReceiverTracingObservationHandler;
import io.micrometer.tracing.propagation.Propagator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.core.Ordered;

/** Begins a trace for each call of a listener, and links it to the span that scheduled the message. */
public final class LinkedTraces extends PropagatingReceiverTracingObservationHandler<ListenerObservationContext>
        implements Ordered {

    /**
     * A handler for observations of listeners.
     *
     * @param tracer begins the traces
     * @param propagator reads the headers of messages
     */
    public LinkedTraces(Tracer tracer, Propagator propagator) {
        super(tracer, new LinkingPropagator(tracer, propagator));
    }

    @Override
    public boolean supportsContext(Observation.Context context) {
        return context instanceof ListenerObservationContext;
    }

    /** Before Spring Boot's handler of all receivers, since the first one that fits is asked. */
    @Override
    public int getOrder() {
        return 0;
    }

    private record LinkingPropagator(Tracer tracer, Propagator propagator) implements Propagator {

        @Override
        public List<String> fields() {
            return propagator.fields();
        }

        @Override
        public <C> void inject(TraceContext context, @Nullable C carrier, Setter<C> setter) {
            propagator.inject(context, carrier, setter);
        }

        @Override
        public <C> Span.Builder extract(@Nullable C carrier, Getter<C> getter) {
            Span.Builder span = tracer.spanBuilder().setNoParent();
            TraceContext scheduled = parent(propagator.extract(carrier, getter));
            return scheduled == null ? span : span.addLink(new Link(scheduled));
        }

        /** The API tells what the headers hold only as the parent of a span; this one is never reported. */
        private @Nullable TraceContext parent(Span.Builder extracted) {
            Span child = extracted.start();
            try {
                TraceContext context = child.context();
                String parent = context.parentId();
                return parent == null || parent.chars().allMatch(digit -> digit == '0')
                        ? null
                        : tracer.traceContextBuilder()
                                .traceId(context.traceId())
                                .spanId(parent)
                                .sampled(context.sampled())
                                .build();
            } finally {
                child.abandon();
            }
        }
    }
}
