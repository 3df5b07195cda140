package io.delayqueue.gateway.autoconfigure;

import io.delayqueue.gateway.claim.PullConsumers;
import io.delayqueue.gateway.http.body.Answers;
import io.delayqueue.gateway.metrics.GatewayMeters;
import io.delayqueue.gateway.security.RefusedRequests;
import io.delayqueue.gateway.sqs.endpoint.SqsActions;
import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;

/** Auto-configuration of the meters of the HTTP API and of the endpoint for SQS clients. */
@AutoConfiguration(
        after = {GatewayAutoConfiguration.class, SqsAutoConfiguration.class},
        afterName = {
            "org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration",
            "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration"
        })
@ConditionalOnClass(MeterRegistry.class)
@ConditionalOnBean(MeterRegistry.class)
public final class GatewayMetricsAutoConfiguration {

    @Bean
    @ConditionalOnBean({PullConsumers.class, Answers.class})
    SmartInitializingSingleton delayQueueGatewayHttpMeters(
            MeterRegistry registry, PullConsumers consumers, Answers answers) {
        GatewayMeters meters = new GatewayMeters("http", consumers::waiting, consumers::unsettled, answers.refused());
        return () -> meters.bindTo(registry);
    }

    @Bean
    @ConditionalOnBean({SqsActions.class, RefusedRequests.class})
    SmartInitializingSingleton delayQueueGatewaySqsMeters(
            MeterRegistry registry, SqsActions actions, RefusedRequests refused) {
        GatewayMeters meters = new GatewayMeters(
                "sqs", actions::waiting, () -> actions.consumers().unsettled(), refused);
        return () -> meters.bindTo(registry);
    }
}
