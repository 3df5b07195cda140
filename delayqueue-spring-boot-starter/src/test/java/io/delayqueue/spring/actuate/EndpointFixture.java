package io.delayqueue.spring.actuate;

import static org.awaitility.Awaitility.await;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.spring.DelayQueueOperations;
import io.delayqueue.spring.annotation.DelayQueueListener;
import io.delayqueue.spring.autoconfigure.DelayQueueEndpointAutoConfiguration;
import io.delayqueue.spring.testsupport.Contexts;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import tools.jackson.databind.json.JsonMapper;

/** An endpoint and a listener that fails, with no web server. */
@ExtendWith(EmbeddedRedisExtension.class)
abstract class EndpointFixture {

    static final Duration HOUR = Duration.ofHours(1);
    ApplicationContextRunner runner = Contexts.runner();

    @BeforeEach
    void useRedis(EmbeddedRedis redis) {
        runner = Contexts.runner(redis)
                .withConfiguration(AutoConfigurations.of(DelayQueueEndpointAutoConfiguration.class))
                .withPropertyValues("management.endpoints.web.exposure.include=delayqueue")
                .withBean("listener", Listener.class);
    }

    static void deadLetter(ApplicationContext context) {
        context.getBean(DelayQueueOperations.class)
                .message("work", "secret")
                .id("w-1")
                .header("token", "hush")
                .schedule();
        await().until(() ->
                context.getBean(DelayQueueClient.class).stats("work").dead() == 1);
    }

    static DelayQueueDescriptor at(DelayQueueEndpoint endpoint, String... path) {
        return Objects.requireNonNull(endpoint.at(path));
    }

    static @Nullable DelayQueueDescriptor read(
            DelayQueueEndpoint endpoint, @Nullable String topic, @Nullable String id) {
        return endpoint.read(topic, id, null, null, null, null, null, null);
    }

    static String json(Object descriptor) {
        return JsonMapper.shared().writeValueAsString(descriptor);
    }

    static class Listener {
        @DelayQueueListener(topic = "work", maxAttempts = "1")
        void on(String work) {
            throw new IllegalStateException("can't read " + work);
        }
    }
}
