package io.delayqueue.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.spring.actuate.DelayQueueEndpoint;
import io.delayqueue.spring.testsupport.Contexts;
import org.junit.jupiter.api.Test;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.test.util.TestSocketUtils;

class DelayQueueEndpointAutoConfigurationTests {

    private final ApplicationContextRunner runner = Contexts.runner(TestSocketUtils.findAvailableTcpPort())
            .withConfiguration(AutoConfigurations.of(DelayQueueEndpointAutoConfiguration.class));

    @Test
    void endpointIsDefinedIfExposed() {
        runner.withPropertyValues("management.endpoints.web.exposure.include=delayqueue")
                .run(context -> assertThat(context).hasSingleBean(DelayQueueEndpoint.class));
    }

    @Test
    void noEndpointUnlessExposed() {
        runner.run(context -> assertThat(context).doesNotHaveBean(DelayQueueEndpoint.class));
    }

    @Test
    void noEndpointWithoutAccess() {
        runner.withPropertyValues(
                        "management.endpoints.web.exposure.include=*", "management.endpoint.delayqueue.access=NONE")
                .run(context -> assertThat(context).doesNotHaveBean(DelayQueueEndpoint.class));
    }

    @Test
    void noEndpointWithoutActuator() {
        runner.withPropertyValues("management.endpoints.web.exposure.include=*")
                .withClassLoader(new FilteredClassLoader(Endpoint.class))
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(DelayQueueEndpoint.class));
    }

    @Test
    void noEndpointWhenDisabled() {
        runner.withPropertyValues("management.endpoints.web.exposure.include=*", "delayqueue.enabled=false")
                .run(context -> assertThat(context).doesNotHaveBean(DelayQueueEndpoint.class));
    }
}
