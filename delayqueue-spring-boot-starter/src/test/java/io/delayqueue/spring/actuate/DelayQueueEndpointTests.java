package io.delayqueue.spring.actuate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.spring.DelayQueueOperations;
import io.delayqueue.spring.annotation.DelayQueueListener;
import io.delayqueue.spring.autoconfigure.DelayQueueEndpointAutoConfiguration;
import io.delayqueue.spring.testsupport.Contexts;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import tools.jackson.databind.json.JsonMapper;

@ExtendWith(EmbeddedRedisExtension.class)
class DelayQueueEndpointTests {

    private static final Duration HOUR = Duration.ofHours(1);

    private ApplicationContextRunner runner = Contexts.runner();

    @BeforeEach
    void useRedis(EmbeddedRedis redis) {
        runner = Contexts.runner(redis)
                .withConfiguration(AutoConfigurations.of(DelayQueueEndpointAutoConfiguration.class))
                .withPropertyValues("management.endpoints.web.exposure.include=delayqueue")
                .withBean("listener", Listener.class);
    }

    @Test
    void showsAllTopicsEvenThoseWithoutMessages() {
        with((endpoint, template) -> {
            template.schedule("orders", "a", HOUR);

            Map<String, TopicStatsDescriptor> topics = endpoint.topics().topics();

            assertThat(topics).containsOnlyKeys("orders", "work");
            assertThat(topics.get("orders"))
                    .satisfies(stats -> assertThat(stats.pending().scheduled()).isOne());
        });
    }

    @Test
    void showsATopicWithItsListenersAndDeadLetters() {
        runner.run(context -> {
            DelayQueueEndpoint endpoint = context.getBean(DelayQueueEndpoint.class);
            context.getBean(DelayQueueOperations.class)
                    .message("work", "secret")
                    .id("w-1")
                    .schedule();
            await().until(() ->
                    context.getBean(DelayQueueClient.class).stats("work").dead() == 1);

            TopicDescriptor topic = Objects.requireNonNull(endpoint.topic("work"));

            assertThat(topic.stats().dead()).isOne();
            assertThat(topic.listeners())
                    .containsExactly(new ListenerDescriptor("listener.on", true, false, true, 0, 10));
            assertThat(topic.deadLetters()).singleElement().satisfies(dead -> {
                assertThat(dead.id()).isEqualTo("w-1");
                assertThat(dead.attempts()).isOne();
                assertThat(dead.payloadSize()).isEqualTo(6);
            });
            assertThat(json(topic)).doesNotContain("secret").doesNotContain("failed on purpose");
        });
    }

    @Test
    void topicNeverUsedIsNotFound() {
        with((endpoint, template) -> assertThat(endpoint.topic("nobody")).isNull());
    }

    @Test
    void showsErrorsOfDeadLettersIfPayloadsAreShown() {
        runner.withPropertyValues("delayqueue.endpoint.show-payload=true").run(context -> {
            DelayQueueEndpoint endpoint = context.getBean(DelayQueueEndpoint.class);
            context.getBean(DelayQueueOperations.class)
                    .message("work", "secret")
                    .id("w-1")
                    .maxAttempts(1)
                    .schedule();
            await().until(() ->
                    context.getBean(DelayQueueClient.class).stats("work").dead() == 1);

            assertThat(Objects.requireNonNull(endpoint.topic("work")).deadLetters())
                    .singleElement()
                    .satisfies(dead -> assertThat(dead.error()).contains("failed on purpose"));
            assertThat(endpoint.message("work", "w-1")).satisfies(message -> {
                assertThat(message.state()).isEqualTo("dead");
                assertThat(message.error()).contains("failed on purpose");
                assertThat(message.attempt()).isOne();
                assertThat(message.maxAttempts()).isOne();
                assertThat(message.deadLetteredAt()).isNotNull();
            });
        });
    }

    @Test
    void showsAMessageWithoutItsPayload() {
        with((endpoint, template) -> {
            template.message("orders", "secret")
                    .id("o-1")
                    .delay(HOUR)
                    .header("token", "hush")
                    .schedule();

            MessageDescriptor message = Objects.requireNonNull(endpoint.message("orders", "o-1"));

            assertThat(message.state()).isEqualTo("scheduled");
            assertThat(message.headerNames()).containsExactly("token");
            assertThat(message.payloadSize()).isEqualTo(6);
            assertThat(json(message)).doesNotContain("secret").doesNotContain("hush");
        });
    }

    @Test
    void showsThePayloadIfThePropertyIsOn() {
        runner = runner.withPropertyValues("delayqueue.endpoint.show-payload=true");
        with((endpoint, template) -> {
            template.message("orders", "shown")
                    .id("o-1")
                    .delay(HOUR)
                    .header("token", "shown too")
                    .schedule();

            MessageDescriptor message = Objects.requireNonNull(endpoint.message("orders", "o-1"));

            assertThat(message.payload()).isEqualTo("shown");
            assertThat(message.headers()).containsEntry("token", "shown too");
        });
    }

    @Test
    void unknownMessageIsNotFound() {
        with((endpoint, template) ->
                assertThat(endpoint.message("orders", "nobody")).isNull());
    }

    private void with(BiConsumer<DelayQueueEndpoint, DelayQueueOperations> test) {
        runner.run(context ->
                test.accept(context.getBean(DelayQueueEndpoint.class), context.getBean(DelayQueueOperations.class)));
    }

    private static String json(Object descriptor) {
        return JsonMapper.shared().writeValueAsString(descriptor);
    }

    static class Listener {
        @DelayQueueListener(topic = "work", maxAttempts = "1")
        void on(String work) {
            throw new IllegalStateException("failed on purpose");
        }
    }
}
