package io.delayqueue.spring.observation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.spring.DelayQueueOperations;
import io.delayqueue.spring.annotation.DelayQueueListener;
import io.delayqueue.spring.autoconfigure.DelayQueueLinkedTracesAutoConfiguration;
import io.delayqueue.spring.autoconfigure.DelayQueueObservationAutoConfiguration;
import io.delayqueue.spring.autoconfigure.DelayQueueTracingAutoConfiguration;
import io.delayqueue.spring.testsupport.Contexts;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import io.micrometer.tracing.Span;
import io.micrometer.tracing.Tracer;
import io.micrometer.tracing.otel.bridge.OtelCurrentTraceContext;
import io.micrometer.tracing.otel.bridge.OtelPropagator;
import io.micrometer.tracing.otel.bridge.OtelTracer;
import io.micrometer.tracing.propagation.Propagator;
import io.opentelemetry.api.trace.SpanId;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.propagation.ContextPropagators;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration;
import org.springframework.boot.micrometer.tracing.autoconfigure.MicrometerTracingAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** The trace of a request leads to the listener as child or link, with OpenTelemetry and Spring Boot's own handlers. */
@ExtendWith(EmbeddedRedisExtension.class)
class LinkedTracesTests {

    private final InMemorySpanExporter exporter = InMemorySpanExporter.create();
    private final SdkTracerProvider provider = SdkTracerProvider.builder()
            .addSpanProcessor(SimpleSpanProcessor.create(exporter))
            .build();
    private final OtelTracer tracer = new OtelTracer(provider.get("test"), new OtelCurrentTraceContext(), event -> {});
    private ApplicationContextRunner runner = Contexts.runner();

    @BeforeEach
    void useRedis(EmbeddedRedis redis) {
        Propagator propagator = new OtelPropagator(
                ContextPropagators.create(W3CTraceContextPropagator.getInstance()), provider.get("test"));
        runner = Contexts.runner(redis)
                .withConfiguration(AutoConfigurations.of(
                        ObservationAutoConfiguration.class,
                        MicrometerTracingAutoConfiguration.class,
                        DelayQueueObservationAutoConfiguration.class,
                        DelayQueueTracingAutoConfiguration.class,
                        DelayQueueLinkedTracesAutoConfiguration.class))
                .withBean(Tracer.class, () -> tracer)
                .withBean(Propagator.class, () -> propagator)
                .withBean(Listener.class);
    }

    @Test
    void theListenersSpanIsAChildByDefault() {
        runner.run(context -> {
            Span scheduling = scheduleInASpan(context.getBean(DelayQueueOperations.class));

            SpanData handling = handling();
            assertThat(handling.getTraceId()).isEqualTo(scheduling.context().traceId());
            assertThat(handling.getParentSpanId())
                    .isEqualTo(scheduling.context().spanId());
            assertThat(handling.getLinks()).isEmpty();
        });
    }

    @Test
    void theListenersSpanBeginsALinkedTraceByProperty() {
        runner.withPropertyValues("delayqueue.tracing.handler-span=link").run(context -> {
            Span scheduling = scheduleInASpan(context.getBean(DelayQueueOperations.class));

            SpanData handling = handling();
            assertThat(handling.getTraceId()).isNotEqualTo(scheduling.context().traceId());
            assertThat(handling.getParentSpanId()).isEqualTo(SpanId.getInvalid());
            assertThat(handling.getLinks()).singleElement().satisfies(link -> {
                assertThat(link.getSpanContext().getTraceId())
                        .isEqualTo(scheduling.context().traceId());
                assertThat(link.getSpanContext().getSpanId())
                        .isEqualTo(scheduling.context().spanId());
            });
            assertThat(exporter.getFinishedSpanItems())
                    .as("no span but those of the request and of the listener")
                    .hasSize(2);
        });
    }

    @Test
    void aMessageScheduledOutsideATraceIsLinkedToNothing() {
        runner.withPropertyValues("delayqueue.tracing.handler-span=link").run(context -> {
            context.getBean(DelayQueueOperations.class).schedule("work", "w", Duration.ZERO);

            SpanData handling = handling();
            assertThat(handling.getLinks()).isEmpty();
            assertThat(handling.getParentSpanId()).isEqualTo(SpanId.getInvalid());
        });
    }

    private Span scheduleInASpan(DelayQueueOperations queue) {
        Span scheduling = tracer.nextSpan().name("place order").start();
        try (Tracer.SpanInScope scope = tracer.withSpan(scheduling)) {
            queue.schedule("work", "w", Duration.ZERO);
        } finally {
            scheduling.end();
        }
        return scheduling;
    }

    private SpanData handling() {
        return await().until(
                        () -> exporter.getFinishedSpanItems().stream()
                                .filter(span -> span.getName().equals("work process"))
                                .findAny(),
                        java.util.Optional::isPresent)
                .orElseThrow();
    }

    static class Listener {
        @DelayQueueListener(topic = "work")
        void on(String work) {}
    }
}
