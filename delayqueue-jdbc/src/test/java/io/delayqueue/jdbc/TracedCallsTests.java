package io.delayqueue.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.jdbc.relay.QueuedHandOver;
import io.delayqueue.jdbc.testsupport.OutboxApplication;
import io.delayqueue.jdbc.testsupport.database.DatabaseKind;
import io.delayqueue.jdbc.testsupport.database.EachDatabase;
import io.delayqueue.jdbc.testsupport.database.TestDatabase;
import io.delayqueue.spring.annotation.DelayQueueListener;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.tracing.Span;
import io.micrometer.tracing.TraceContext;
import io.micrometer.tracing.Tracer;
import io.micrometer.tracing.handler.PropagatingReceiverTracingObservationHandler;
import io.micrometer.tracing.propagation.Propagator;
import io.micrometer.tracing.test.simple.SimpleTracer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.context.support.GenericApplicationContext;

/** The trace of a call goes by way of its row to the listener, whoever sends the row. */
@ExtendWith(EmbeddedRedisExtension.class)
class TracedCallsTests {

    private final SimpleTracer tracer = new SimpleTracer();

    @EachDatabase
    void aMessageOfTheHandOverBelongsToTheTraceOfItsCall(TestDatabase database, EmbeddedRedis redis) {
        try (OutboxApplication application = new OutboxApplication(database, redis, this::trace)) {
            String traceId = scheduleInTransaction(application);

            List<String> handled = application.context().getBean(Listener.class).traceIds;
            await().atMost(Duration.ofSeconds(30)).until(() -> !handled.isEmpty());
            assertThat(handled).containsExactly(traceId);
        }
    }

    @EachDatabase(DatabaseKind.POSTGRESQL)
    void aMessageOfTheRelayBelongsToTheTraceOfItsCall(TestDatabase database, EmbeddedRedis redis) {
        try (OutboxApplication application = new OutboxApplication(
                database,
                redis,
                this::trace,
                "delayqueue.journal.outbox.send-timeout=2s",
                "delayqueue.journal.outbox.remember-applied=1m")) {
            application.context().getBean(QueuedHandOver.class).close();

            String traceId = scheduleInTransaction(application);

            List<String> handled = application.context().getBean(Listener.class).traceIds;
            await().atMost(Duration.ofSeconds(40)).until(() -> !handled.isEmpty());
            assertThat(handled).containsExactly(traceId);
        }
    }

    /** Looks at the rows of all kinds of calls, and returns the trace's id. */
    private String scheduleInTransaction(OutboxApplication application) {
        Span placing = tracer.nextSpan().name("place order").start();
        try (Tracer.SpanInScope scope = tracer.withSpan(placing)) {
            application.transaction().executeWithoutResult(status -> {
                application.template().schedule("orders", "x", Duration.ZERO);
                application.template().cancel("orders", "cancelled");
                application.template().reschedule("orders", "rescheduled", Duration.ZERO);
                assertThat(application
                                .jdbc()
                                .sql("SELECT trace FROM delayqueue_outbox")
                                .query(String.class)
                                .list())
                        .hasSize(3)
                        .containsOnly("00-" + placing.context().traceId() + "-"
                                + placing.context().spanId() + "-01");
            });
        } finally {
            placing.end();
        }
        return placing.context().traceId();
    }

    private void trace(GenericApplicationContext context) {
        Propagator propagator = new TraceparentPropagator(tracer);
        ObservationRegistry observations = ObservationRegistry.create();
        observations
                .observationConfig()
                .observationHandler(new PropagatingReceiverTracingObservationHandler<>(tracer, propagator));
        context.registerBean(ObservationRegistry.class, () -> observations);
        context.registerBean(Tracer.class, () -> tracer);
        context.registerBean(Propagator.class, () -> propagator);
        context.registerBean(Listener.class, () -> new Listener(tracer));
    }

    /** Notes the trace that each of its calls is in. */
    static final class Listener {

        private final List<String> traceIds = new CopyOnWriteArrayList<>();
        private final Tracer tracer;

        Listener(Tracer tracer) {
            this.tracer = tracer;
        }

        @DelayQueueListener(topic = "orders")
        void on(String payload) {
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
