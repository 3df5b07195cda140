package io.delayqueue.spring.observation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.spring.DelayQueueOperations;
import io.delayqueue.spring.annotation.DelayQueueListener;
import io.delayqueue.spring.autoconfigure.DelayQueueObservationAutoConfiguration;
import io.delayqueue.spring.autoconfigure.DelayQueueTracingAutoConfiguration;
import io.delayqueue.spring.testsupport.Contexts;
import io.delayqueue.spring.testsupport.Received;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.tracing.Span;
import io.micrometer.tracing.TraceContext;
import io.micrometer.tracing.Tracer;
import io.micrometer.tracing.handler.PropagatingReceiverTracingObservationHandler;
import io.micrometer.tracing.propagation.Propagator;
import io.micrometer.tracing.test.simple.SimpleSpan;
import io.micrometer.tracing.test.simple.SimpleTracer;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.messaging.MessageHeaders;

/** A trace continues from the schedule call to the listener, through the message's headers. */
@ExtendWith(EmbeddedRedisExtension.class)
class TracePropagationTests {

    private final SimpleTracer tracer = new SimpleTracer();
    private ApplicationContextRunner runner = Contexts.runner();

    @BeforeEach
    void useRedis(EmbeddedRedis redis) {
        Propagator propagator = new TraceparentPropagator(tracer);
        ObservationRegistry observations = ObservationRegistry.create();
        observations
                .observationConfig()
                .observationHandler(new PropagatingReceiverTracingObservationHandler<>(tracer, propagator));
        runner = Contexts.runner(redis)
                .withConfiguration(AutoConfigurations.of(
                        DelayQueueObservationAutoConfiguration.class, DelayQueueTracingAutoConfiguration.class))
                .withBean(ObservationRegistry.class, () -> observations)
                .withBean(Tracer.class, () -> tracer)
                .withBean(Propagator.class, () -> propagator)
                .withBean(Listener.class, Listener::new);
    }

    @Test
    void listenerContinuesTheTraceOfTheScheduleCall() {
        runner.run(context -> {
            Span scheduling = tracer.nextSpan().name("place order").start();
            try (Tracer.SpanInScope scope = tracer.withSpan(scheduling)) {
                context.getBean(DelayQueueOperations.class).schedule("work", "w", Duration.ZERO);
            } finally {
                scheduling.end();
            }

            assertThat(context.getBean(Listener.class).traceparents.first())
                    .isEqualTo("00-" + scheduling.context().traceId() + "-"
                            + scheduling.context().spanId() + "-01");
            assertThat(context.getBean(Listener.class).traceIds.first())
                    .as("trace that the listener itself is in")
                    .isEqualTo(scheduling.context().traceId());
            // the name and the tags come when the listener has returned
            await().untilAsserted(() -> {
                assertThat(tracer.getSpans()).hasSize(2);
                SimpleSpan handling = tracer.getSpans().getLast();
                assertThat(handling.getName()).isEqualTo("work process");
                assertThat(handling.getKind()).isEqualTo(Span.Kind.CONSUMER);
                assertThat(handling.getTags()).containsEntry("topic", "work").containsKey("delayqueue.message.id");
            });
        });
    }

    @Test
    void messageScheduledOutsideATraceHasNoTraceHeaders() {
        runner.run(context -> {
            context.getBean(DelayQueueOperations.class).schedule("work", "w", Duration.ZERO);

            assertThat(context.getBean(Listener.class).traceparents.first()).isEqualTo("none");
        });
    }

    class Listener {
        final Received<String> traceparents = new Received<>();
        final Received<String> traceIds = new Received<>();

        @DelayQueueListener(topic = "work")
        void on(MessageHeaders headers) {
            traceparents.add(String.valueOf(headers.getOrDefault("traceparent", "none")));
            TraceContext context = tracer.currentTraceContext().context();
            traceIds.add(context == null ? "none" : context.traceId());
        }
    }

    /** As W3C has it, in short. */
    private record TraceparentPropagator(SimpleTracer tracer) implements Propagator {

        @Override
        public List<String> fields() {
            return List.of("traceparent");
        }

        @Override
        public <C> void inject(TraceContext context, @Nullable C carrier, Setter<C> setter) {
            setter.set(carrier, "traceparent", "00-" + context.traceId() + "-" + context.spanId() + "-01");
        }

        @Override
        public <C> Span.Builder extract(C carrier, Getter<C> getter) {
            String traceparent = getter.get(carrier, "traceparent");
            Span.Builder span = tracer.spanBuilder();
            if (traceparent != null) {
                String[] parts = traceparent.split("-", 4);
                span.setParent(tracer.traceContextBuilder()
                        .traceId(parts[1])
                        .spanId(parts[2])
                        .sampled(true)
                        .build());
            }
            return span;
        }
    }
}
