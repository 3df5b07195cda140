package io.delayqueue.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.spring.observation.TraceHeaders;
import io.micrometer.tracing.Tracer;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

class DelayQueueTracingAutoConfigurationTests {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(DelayQueueTracingAutoConfiguration.class));

    @Test
    void messagesCarryTheTraceContextIfTracingIsOnTheClassPath() {
        runner.run(context -> assertThat(context).hasSingleBean(TraceHeaders.class));
    }

    @Test
    void traceHeadersAreNotWrittenWithoutATracer() {
        runner.run(context -> context.getBean(TraceHeaders.class).addTo("orders", (name, value) -> {
            throw new AssertionError(name);
        }));
    }

    @Test
    void traceHeadersBackOffWhenUserDefinesThem() {
        TraceHeaders own = new TraceHeaders(() -> null, () -> null);
        runner.withBean("own", TraceHeaders.class, () -> own)
                .run(context -> assertThat(context).getBean(TraceHeaders.class).isSameAs(own));
    }

    @Test
    void noTraceHeadersWithoutTracing() {
        runner.withClassLoader(new FilteredClassLoader(Tracer.class))
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(TraceHeaders.class));
    }

    @Test
    void noTraceHeadersWhenDisabled() {
        runner.withPropertyValues("delayqueue.enabled=false")
                .run(context -> assertThat(context).doesNotHaveBean(TraceHeaders.class));
    }
}
