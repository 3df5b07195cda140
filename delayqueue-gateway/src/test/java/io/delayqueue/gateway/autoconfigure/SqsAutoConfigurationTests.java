package io.delayqueue.gateway.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.gateway.sqs.endpoint.SqsCallers;
import io.delayqueue.spring.autoconfigure.DelayQueueAutoConfiguration;
import io.delayqueue.spring.autoconfigure.DelayQueueJacksonAutoConfiguration;
import java.util.concurrent.ScheduledExecutorService;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.web.servlet.DispatcherServlet;

class SqsAutoConfigurationTests {

    private static final AutoConfigurations CONFIGURATIONS = AutoConfigurations.of(
            JacksonAutoConfiguration.class,
            DataRedisAutoConfiguration.class,
            DelayQueueJacksonAutoConfiguration.class,
            DelayQueueAutoConfiguration.class,
            GatewaySenderAutoConfiguration.class,
            SqsAutoConfiguration.class);

    private final WebApplicationContextRunner runner =
            new WebApplicationContextRunner().withConfiguration(CONFIGURATIONS);

    @Test
    void endpointIsOffByDefault() {
        runner.withPropertyValues("delayqueue.gateway.enabled=true", "delayqueue.gateway.open=true")
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(SqsCallers.class));
    }

    @Test
    void endpointNeedsServlets() {
        new ApplicationContextRunner()
                .withConfiguration(CONFIGURATIONS)
                .withPropertyValues("delayqueue.gateway.sqs.enabled=true")
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(SqsCallers.class));
        runner.withClassLoader(new FilteredClassLoader(DispatcherServlet.class))
                .withPropertyValues("delayqueue.gateway.sqs.enabled=true")
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(SqsCallers.class));
    }

    @Test
    void endpointWithoutKeysDoesNotStart() {
        runner.withPropertyValues("delayqueue.gateway.sqs.enabled=true")
                .run(context -> assertThat(context)
                        .getFailure()
                        .hasRootCauseInstanceOf(OpenGatewayException.class)
                        .rootCause()
                        .hasMessageContaining("delayqueue.gateway.sqs.keys"));
    }

    @Test
    void openEndpointIsAChoice() {
        runner.withPropertyValues("delayqueue.gateway.sqs.enabled=true", "delayqueue.gateway.open=true")
                .run(context -> assertThat(context).hasNotFailed().hasSingleBean(SqsCallers.class));
    }

    /** Spring would take one for its own scheduled methods. */
    @Test
    void noBeanIsAnExecutor() {
        runner.withPropertyValues("delayqueue.gateway.sqs.enabled=true", "delayqueue.gateway.open=true")
                .run(context -> assertThat(context).doesNotHaveBean(ScheduledExecutorService.class));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "path=sqs",
                "url=sqs.example.com",
                "url=https://sqs.example.com/",
                "dead-suffix=.dead",
                "max-receive-count=0",
                "max-body=3GB",
                "keys.OTHER.rights=produce",
                "queues.orders.topic=",
                "queues.orders-dead.topic=orders",
                "queues.[a/b].topic=orders",
                "body-timeout=10ms",
                "answer-timeout=0s",
                "delivery-lease=10ms",
                "max-request-memory=1MB",
                "max-answer-memory=1MB",
                "max-queues-per-key=0",
                "max-queues-in-use-per-key=0"
            })
    void propertiesThatCannotWorkEndTheStart(String property) {
        runner.withPropertyValues(
                        "delayqueue.gateway.sqs.enabled=true",
                        "delayqueue.gateway.open=true",
                        "delayqueue.gateway.sqs." + property)
                .run(context -> assertThat(context)
                        .getFailure()
                        .hasRootCauseInstanceOf(InvalidConfigurationPropertyValueException.class));
    }

    @Test
    void twoQueuesOfOneTopicEndTheStart() {
        runner.withPropertyValues(
                        "delayqueue.gateway.sqs.enabled=true",
                        "delayqueue.gateway.open=true",
                        "delayqueue.gateway.sqs.queues.one.topic=orders",
                        "delayqueue.gateway.sqs.queues.two.topic=orders")
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessageContaining("delayqueue.gateway.sqs.queues.two.topic")
                        .hasMessageContaining("one"));
    }
}
