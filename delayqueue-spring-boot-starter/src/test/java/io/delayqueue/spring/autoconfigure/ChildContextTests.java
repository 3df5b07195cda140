package io.delayqueue.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.spring.DelayQueueOperations;
import io.delayqueue.spring.actuate.DelayQueueEndpoint;
import io.delayqueue.spring.annotation.DelayQueueListener;
import io.delayqueue.spring.health.DelayQueueHealthIndicator;
import io.delayqueue.spring.listener.DelayQueueInterceptor;
import io.delayqueue.spring.listener.DelayQueueListenerContainerFactory;
import io.delayqueue.spring.testsupport.Contexts;
import io.delayqueue.spring.testsupport.Received;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

/** A child context shares its parent's client, and has listeners, interceptors, health and endpoint of its own. */
@ExtendWith(EmbeddedRedisExtension.class)
class ChildContextTests {

    @Test
    void childHasItsOwnListenersInterceptorsHealthAndEndpoint(EmbeddedRedis redis) {
        Received<String> ofParent = new Received<>();
        Received<String> ofChild = new Received<>();
        runner(redis)
                .withBean("parents", ParentsListener.class)
                .withBean("interceptor", DelayQueueInterceptor.class, () -> recording(ofParent))
                .run(parent -> runner(redis)
                        .withParent(parent)
                        .withBean("childs", ChildsListener.class)
                        .withBean("interceptor2", DelayQueueInterceptor.class, () -> recording(ofChild))
                        .run(child -> {
                            assertThat(child.getBean(DelayQueueClient.class))
                                    .isSameAs(parent.getBean(DelayQueueClient.class));
                            assertThat(child.getBean(DelayQueueListenerContainerFactory.class))
                                    .isNotSameAs(parent.getBean(DelayQueueListenerContainerFactory.class));
                            DelayQueueOperations queue = child.getBean(DelayQueueOperations.class);
                            queue.schedule("of-parent", "p", Duration.ZERO);
                            parent.getBean(ParentsListener.class).received.await(1);
                            queue.schedule("of-child", "c", Duration.ZERO);
                            child.getBean(ChildsListener.class).received.await(1);

                            assertThat(ofParent.await(2)).containsExactly("of-parent", "of-child");
                            assertThat(ofChild.await(1)).containsExactly("of-child");
                            assertThat(topics(parent)).containsOnlyKeys("of-parent");
                            assertThat(topics(child)).containsOnlyKeys("of-child");
                            assertThat(String.valueOf(child.getBean(DelayQueueEndpoint.class)
                                            .at("of-child")))
                                    .contains("childs.on");
                            assertThat(String.valueOf(parent.getBean(DelayQueueEndpoint.class)
                                            .at("of-child")))
                                    .doesNotContain("childs.on");
                        }));
    }

    private static ApplicationContextRunner runner(EmbeddedRedis redis) {
        return Contexts.runner(redis)
                .withConfiguration(AutoConfigurations.of(
                        DelayQueueHealthContributorAutoConfiguration.class, DelayQueueEndpointAutoConfiguration.class))
                .withPropertyValues("management.endpoints.web.exposure.include=delayqueue");
    }

    private static DelayQueueInterceptor recording(Received<String> topics) {
        return (message, delivery, next) -> {
            topics.add(message.topic());
            next.handle(message, delivery);
        };
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> topics(ApplicationContext context) {
        return (Map<String, Object>) context.getBean(DelayQueueHealthIndicator.class)
                .health()
                .getDetails()
                .get("topics");
    }

    static class ParentsListener {

        final Received<String> received = new Received<>();

        @DelayQueueListener(topic = "of-parent")
        void on(String work) {
            received.add(work);
        }
    }

    static class ChildsListener {

        final Received<String> received = new Received<>();

        @DelayQueueListener(topic = "of-child")
        void on(String work) {
            received.add(work);
        }
    }
}
