package io.delayqueue.spring.listener;

import io.delayqueue.spring.DelayQueueOperations;
import io.delayqueue.spring.testsupport.Contexts;
import io.delayqueue.spring.testsupport.Received;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

/** The frame of tests of listeners that a program registers. */
@ExtendWith(EmbeddedRedisExtension.class)
abstract class RegisteredListenersFixture {

    final Received<String> received = new Received<>();
    ApplicationContextRunner runner = Contexts.runner();

    @BeforeEach
    void useRedis(EmbeddedRedis redis) {
        runner = Contexts.runner(redis);
    }

    DelayQueueListenerEndpoint handler(String id) {
        return handler(id, "work");
    }

    DelayQueueListenerEndpoint handler(String id, String topic) {
        return DelayQueueListenerEndpoint.forHandler(
                id, topic, (message, delivery) -> received.add(new String(message.payload(), StandardCharsets.UTF_8)));
    }

    static void schedule(ApplicationContext context, String payload) {
        context.getBean(DelayQueueOperations.class).schedule("work", payload, Duration.ZERO);
    }

    static DelayQueueListenerEndpointRegistry registry(ApplicationContext context) {
        return context.getBean(DelayQueueListenerEndpointRegistry.class);
    }

    static DelayQueueListenerContainerFactory factory(ApplicationContext context) {
        return context.getBean(DelayQueueListenerContainerFactory.class);
    }
}
