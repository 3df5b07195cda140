package io.delayqueue.spring.actuate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.spring.DelayQueueOperations;
import io.delayqueue.spring.annotation.DelayQueueListener;
import io.delayqueue.spring.operator.Story;
import io.delayqueue.spring.operator.StorySource;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;

/** The endpoint's answers about topics and messages. */
class DelayQueueEndpointTests extends EndpointFixture {

    @Test
    void showsAllTopicsEvenThoseWithoutMessages() {
        with((endpoint, template) -> {
            template.schedule("orders", "a", HOUR);

            Map<String, TopicStatsDescriptor> topics = ((TopicsDescriptor) named(endpoint, null, null)).topics();

            assertThat(topics).containsOnlyKeys("orders", "work");
            assertThat(topics.get("orders"))
                    .satisfies(stats -> assertThat(stats.pending().scheduled()).isOne());
        });
    }

    @Test
    void showsATopicWithItsListenersAndDeadLetters() {
        runner.run(context -> {
            DelayQueueEndpoint endpoint = context.getBean(DelayQueueEndpoint.class);
            deadLetter(context);

            TopicDescriptor topic = (TopicDescriptor) at(endpoint, "work");

            assertThat(topic.stats().dead()).isOne();
            assertThat(topic.listeners()).singleElement().satisfies(listener -> {
                assertThat(listener.id()).isEqualTo("listener.on");
                assertThat(listener.running()).isTrue();
                assertThat(listener.healthy()).isTrue();
                assertThat(listener.concurrency()).isEqualTo(10);
                assertThat(listener.settings())
                        .as("of the annotation, the properties and by default")
                        .isEqualTo(new ListenerDescriptor.Settings(
                                Duration.ofSeconds(30),
                                null,
                                1,
                                "ExponentialBackoff[initial=PT0.02S, multiplier=2.0, max=PT10M, jitter=0.0]",
                                Duration.ofSeconds(5),
                                true));
            });
            assertThat(topic.deadLetters()).singleElement().satisfies(dead -> {
                assertThat(dead.id()).isEqualTo("w-1");
                assertThat(dead.attempts()).isOne();
                assertThat(dead.payloadSize()).isEqualTo(6);
            });
            assertThat(json(topic)).doesNotContain("secret").doesNotContain("hush");
        });
    }

    @Test
    void pathTakesTheLongestTopicItBeginsWith() {
        with((endpoint, template) -> {
            template.message("a", "p").id("b/c").delay(HOUR).schedule();
            template.message("a/b", "p").id("c").delay(HOUR).schedule();
            template.message("a", "p").id("x/y").delay(HOUR).schedule();

            assertThat(at(endpoint, "a", "b")).isInstanceOf(TopicDescriptor.class);
            assertThat(at(endpoint, "a", "b", "c")).isInstanceOfSatisfying(MessageDescriptor.class, message -> {
                assertThat(message.topic()).isEqualTo("a/b");
                assertThat(message.id()).isEqualTo("c");
            });
            assertThat(at(endpoint, "a", "x", "y"))
                    .isInstanceOfSatisfying(
                            MessageDescriptor.class,
                            message -> assertThat(message.id()).isEqualTo("x/y"));
            assertThat(named(endpoint, "a", "b/c"))
                    .as("parameters leave no doubt")
                    .isInstanceOfSatisfying(
                            MessageDescriptor.class,
                            message -> assertThat(message.topic()).isEqualTo("a"));
        });
    }

    @Test
    void whatNeverWasIsNotFound() {
        with((endpoint, template) -> {
            template.schedule("orders", "a", HOUR);

            assertThat(endpoint.at("nobody")).isNull();
            assertThat(endpoint.at("orders", "nobody")).isNull();
            assertThat(read(endpoint, "nobody", null)).isNull();
            assertThat(read(endpoint, "orders", "nobody")).isNull();
        });
    }

    @Test
    void showsMessagesInFlightWithTheirHolders() {
        CountDownLatch end = new CountDownLatch(1);
        runner.withBean(Slow.class, () -> new Slow(end)).run(context -> {
            DelayQueueEndpoint endpoint = context.getBean(DelayQueueEndpoint.class);
            DelayQueueOperations queue = context.getBean(DelayQueueOperations.class);
            List.of("s-1", "s-2")
                    .forEach(id -> queue.message("slow", "p").id(id).schedule());
            await().until(() ->
                    context.getBean(DelayQueueClient.class).stats("slow").inFlight() == 2);

            InFlightDescriptor inFlight = (InFlightDescriptor)
                    endpoint.read("slow", null, DelayQueueView.IN_FLIGHT, null, null, 10, null, null);

            assertThat(inFlight.messages())
                    .extracting(InFlightDescriptor.Message::id)
                    .containsExactlyInAnyOrder("s-1", "s-2");
            assertThat(inFlight.holders()).singleElement().satisfies(holder -> {
                assertThat(holder.instance())
                        .endsWith(":" + ProcessHandle.current().pid());
                assertThat(holder.messages()).isEqualTo(2);
                assertThat(holder.since()).isBeforeOrEqualTo(inFlight.time());
                assertThat(inFlight.messages())
                        .extracting(InFlightDescriptor.Message::holder)
                        .containsOnly(holder.instance());
            });
            assertThat(((TopicDescriptor) at(endpoint, "slow")).holders()).isEqualTo(inFlight.holders());
            end.countDown();
        });
    }

    @Test
    void tellsStoriesIfThereIsASourceAndHidesTheirErrors() {
        Instant now = Instant.parse("2027-01-01T12:00:00Z");
        Story story = new Story(
                "work",
                "w-1",
                List.of(new Story.Message(
                        "g", List.of(new Story.Event(now, null, "DEAD", null, 1, "host:17", "can't read secret")))),
                true);
        StorySource source =
                (topic, id) -> Optional.of(story).filter(known -> known.id().equals(id));
        runner.withBean(StorySource.class, () -> source).run(context -> {
            DelayQueueEndpoint endpoint = context.getBean(DelayQueueEndpoint.class);

            assertThat(story(endpoint, "w-1"))
                    .isInstanceOfSatisfying(
                            StoryDescriptor.class,
                            told -> assertThat(told.messages().get(0).events())
                                    .containsExactly(new StoryDescriptor.Event(
                                            now, null, "DEAD", null, 1, "host:17", "******")));
            assertThat(story(endpoint, "w-2")).isNull();
            assertThatExceptionOfType(InvalidEndpointRequestException.class)
                    .isThrownBy(() -> story(endpoint, null))
                    .withMessageContaining("needs the parameter 'id'");
        });
        runner.run(context -> assertThat(story(context.getBean(DelayQueueEndpoint.class), "w-1"))
                .isNull());
    }

    private static @Nullable DelayQueueDescriptor story(DelayQueueEndpoint endpoint, @Nullable String id) {
        return endpoint.read("work", id, DelayQueueView.STORY, null, null, null, null, null);
    }

    @Test
    void idWithoutATopicIsRefused() {
        with((endpoint, template) -> assertThatExceptionOfType(InvalidEndpointRequestException.class)
                .isThrownBy(() -> read(endpoint, null, "o-1"))
                .withMessageContaining("topic"));
    }

    private static DelayQueueDescriptor named(
            DelayQueueEndpoint endpoint, @Nullable String topic, @Nullable String id) {
        return Objects.requireNonNull(read(endpoint, topic, id));
    }

    private void with(BiConsumer<DelayQueueEndpoint, DelayQueueOperations> test) {
        runner.run(context ->
                test.accept(context.getBean(DelayQueueEndpoint.class), context.getBean(DelayQueueOperations.class)));
    }

    record Slow(CountDownLatch end) {
        @DelayQueueListener(topic = "slow")
        void on(String work) throws InterruptedException {
            end.await();
        }
    }
}
