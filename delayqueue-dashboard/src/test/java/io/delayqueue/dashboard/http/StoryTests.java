package io.delayqueue.dashboard.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.Delay;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.dashboard.testsupport.Dashboard;
import io.delayqueue.dashboard.testsupport.Messages;
import io.delayqueue.spring.operator.Story;
import io.delayqueue.spring.operator.StorySource;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import tools.jackson.databind.JsonNode;

/** Stories of messages, where the application has a source of them. */
@ExtendWith(EmbeddedRedisExtension.class)
class StoryTests {

    private static final String API = "/delayqueue/api/message?topic=";
    private static final Instant TIME = Instant.parse("2026-01-01T00:00:00Z");

    private static Dashboard dashboard;

    @BeforeAll
    static void start(EmbeddedRedis redis) {
        dashboard = Dashboard.withBeans(Journalled.class, redis);
    }

    @AfterAll
    static void close() {
        dashboard.close();
    }

    @Test
    void messageThatIsGoneHasItsStory() throws Exception {
        JsonNode view = dashboard.get(API + "orders&id=gone").json();

        assertThat(view.path("message").isNull()).isTrue();
        assertThat(view.path("story").path("events").findValuesAsString("kind")).containsExactly("SCHEDULED", "DEAD");
        assertThat(view.path("story").path("events").path(1).path("detail").asString())
                .isEqualTo("card refused");
        assertThat(view.path("story").path("truncated").asBoolean()).isFalse();
    }

    @Test
    void longStoryIsCutAtItsBegin() throws Exception {
        JsonNode story = dashboard.get(API + "orders&id=long").json().path("story");

        assertThat(story.path("events").size()).isEqualTo(500);
        assertThat(story.path("events").path(499).path("attempt").asInt()).isEqualTo(600);
        assertThat(story.path("truncated").asBoolean()).isTrue();
    }

    @Test
    void messageIsShownWithoutAStoryThatCannotBeRead() throws Exception {
        String topic = Messages.uniqueTopic();
        dashboard
                .client()
                .schedule(OutgoingMessage.to(topic)
                        .id("failing")
                        .payload(new byte[1])
                        .delay(Delay.of(Duration.ofHours(1)))
                        .build());

        JsonNode view = dashboard.get(API + topic + "&id=failing").json();

        assertThat(view.path("message").path("state").asString()).isEqualTo("SCHEDULED");
        assertThat(view.path("story").isNull()).isTrue();
        assertThat(view.path("storyProblem").asString()).contains("journal").doesNotContain("secret");
    }

    @Test
    void neitherMessageNorStoryIsNotFound() throws Exception {
        assertThat(dashboard.get(API + "orders&id=none").problem()).isEqualTo("not-found");
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Journalled {

        @Bean
        StorySource stories() {
            return (topic, id) -> switch (id) {
                case "gone" ->
                    Optional.of(story(
                            topic,
                            id,
                            List.of(
                                    new Story.Event(TIME, null, "SCHEDULED", null, null, null, null),
                                    new Story.Event(TIME, "READY", "DEAD", TIME, 1, "host:1", "card refused"))));
                case "long" ->
                    Optional.of(story(
                            topic,
                            id,
                            IntStream.rangeClosed(1, 600)
                                    .mapToObj(i -> new Story.Event(TIME, "READY", "SCHEDULED", TIME, i, null, null))
                                    .toList()));
                case "failing" -> throw new IllegalStateException("jdbc:secret");
                default -> Optional.empty();
            };
        }

        private static Story story(String topic, String id, List<Story.Event> events) {
            return new Story(topic, id, List.of(new Story.Message("1", events)), true);
        }
    }
}
