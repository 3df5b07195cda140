package io.delayqueue.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.spring.event.EventPublishingObserver;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

class DelayQueueEventsAutoConfigurationTests {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(DelayQueueEventsAutoConfiguration.class));

    @Test
    void eventsArePublished() {
        runner.run(context -> assertThat(context).hasSingleBean(EventPublishingObserver.class));
    }

    @Test
    void eventsBackOffWhenUserDefinesThePublisher() {
        EventPublishingObserver own = new EventPublishingObserver(event -> {});
        runner.withBean("own", EventPublishingObserver.class, () -> own)
                .run(context -> assertThat(context)
                        .getBean(EventPublishingObserver.class)
                        .isSameAs(own));
    }

    @Test
    void eventsAreNotPublishedWhenDisabled() {
        runner.withPropertyValues("delayqueue.enabled=false")
                .run(context -> assertThat(context).doesNotHaveBean(EventPublishingObserver.class));
    }
}
