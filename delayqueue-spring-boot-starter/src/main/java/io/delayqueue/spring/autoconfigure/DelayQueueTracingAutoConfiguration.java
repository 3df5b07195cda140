package io.delayqueue.spring.autoconfigure;

import io.delayqueue.spring.observation.TraceHeaders;
import io.micrometer.tracing.Tracer;
import io.micrometer.tracing.propagation.Propagator;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** Auto-configuration of trace context in message headers. */
@AutoConfiguration(before = DelayQueueAutoConfiguration.class)
@ConditionalOnClass({Tracer.class, Propagator.class})
@ConditionalOnBooleanProperty(name = "delayqueue.enabled", matchIfMissing = true)
public final class DelayQueueTracingAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    TraceHeaders delayQueueTraceHeaders(ObjectProvider<Tracer> tracers, ObjectProvider<Propagator> propagators) {
        return new TraceHeaders(tracers::getIfUnique, propagators::getIfUnique);
    }
}
