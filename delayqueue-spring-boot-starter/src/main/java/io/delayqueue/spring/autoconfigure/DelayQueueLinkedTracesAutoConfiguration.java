package io.delayqueue.spring.autoconfigure;

import io.delayqueue.spring.observation.LinkedTraces;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.tracing.Tracer;
import io.micrometer.tracing.propagation.Propagator;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;

/** Auto-configuration of traces that begin at the listener, if {@code delayqueue.tracing.handler-span} is {@code link}. */
@AutoConfiguration(
        before = DelayQueueListenerAutoConfiguration.class,
        afterName = {
            "org.springframework.boot.micrometer.tracing.autoconfigure.MicrometerTracingAutoConfiguration",
            "org.springframework.boot.micrometer.tracing.opentelemetry.autoconfigure.OpenTelemetryTracingAutoConfiguration",
            "org.springframework.boot.micrometer.tracing.brave.autoconfigure.BraveAutoConfiguration"
        })
@ConditionalOnClass({ObservationRegistry.class, Tracer.class, Propagator.class})
@ConditionalOnBean({Tracer.class, Propagator.class})
@ConditionalOnBooleanProperty(name = "delayqueue.enabled", matchIfMissing = true)
@ConditionalOnProperty(name = "delayqueue.tracing.handler-span", havingValue = "link")
public final class DelayQueueLinkedTracesAutoConfiguration {

    /** Spring Boot's observation registry takes all observation handlers that are beans. */
    @Bean
    @ConditionalOnMissingBean
    LinkedTraces delayQueueLinkedTraces(Tracer tracer, Propagator propagator) {
        return new LinkedTraces(tracer, propagator);
    }
}
