package io.delayqueue.gateway.callback;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.Delay;
import io.delayqueue.MessageInfo;
import io.delayqueue.gateway.callback.Receiver.Reply;
import io.delayqueue.gateway.callback.Receiver.Request;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Messages about the ends of callbacks. */
class CallbackResultsTests extends RunningCallbacks {

    @Test
    void theLastAttemptMakesADeadLetterAndTellsOfIt() {
        instance("delayqueue.callbacks.hooks.max-attempts=2", "delayqueue.callbacks.hooks.on-failure.topic=failures");
        receiver.answer(request -> Reply.of(302));
        instance.schedule(message("o1"));

        assertThat(awaitDead("o1").error())
                .isEqualTo("the target answered with status 302; redirects are not followed");
        assertThat(receiver.requests()).hasSize(2);
        MessageInfo result = result("failures", "-failure");
        assertThat(new String(result.payload(), StandardCharsets.UTF_8))
                .contains("\"outcome\":\"failure\"", "\"id\":\"o1\"", "\"status\":302", "\"attempt\":2");
    }

    @Test
    void aResultHasTheFieldsThatThePageShows() throws Exception {
        Matcher shown = Pattern.compile("```json\n(.*?)```", Pattern.DOTALL)
                .matcher(Files.readString(Path.of("../docs/callbacks.md")));
        assertThat(shown.find()).isTrue();
        JsonNode page = new JsonMapper().readTree(shown.group(1));
        instance("delayqueue.callbacks.hooks.max-attempts=1", "delayqueue.callbacks.hooks.on-failure.topic=failures");
        receiver.answer(request -> Reply.of(500));
        instance.schedule(message("o1"));
        awaitDead("o1");

        JsonNode result =
                new JsonMapper().readTree(result("failures", "-failure").payload());

        assertThat(result.propertyNames()).containsExactlyInAnyOrderElementsOf(page.propertyNames());
        assertThat(result.get("outcome")).isEqualTo(page.get("outcome"));
        assertThat(result.get("status")).isEqualTo(page.get("status"));
        assertThat(result.get("reason")).isEqualTo(page.get("reason"));
    }

    private MessageInfo result(String topic, String suffix) {
        String id = receiver.requests().get(0).header("webhook-id") + suffix;
        return instance.client().find(topic, id).orElseThrow();
    }

    @Test
    void resultsAreSentToUrlsSignedToo() {
        instance(
                "delayqueue.callbacks.hooks.on-success.url=http://done.example:" + receiver.port() + "/done",
                "delayqueue.callbacks.hooks.on-failure.url=http://failed.example:" + receiver.port() + "/failed");
        receiver.answer(request -> request.host().equals("hook.example")
                        && request.header("x-fail").equals("1")
                ? new Reply(500, Map.of("DelayQueue-Retry", "no"))
                : Reply.of(200));
        instance.schedule(message("o1"));
        instance.schedule(message("o2").header("x-fail", "1"));

        await().atMost(LONG)
                .until(() -> receiver.requestsOf("done.example") == 1 && receiver.requestsOf("failed.example") == 1);
        Request done = receiver.requests().stream()
                .filter(request -> request.path().equals("/done"))
                .findFirst()
                .orElseThrow();
        assertThat(new String(done.body(), StandardCharsets.UTF_8)).contains("\"success\"", "\"o1\"");
        assertThat(done.header("webhook-signature")).startsWith("v1,");
        assertThat(awaitDead("o2").error()).isEqualTo("the target answered with status 500 and asked for no retry");
    }

    @Test
    void anAcceptedCallIsNotRepeatedForAResultThatIsRefused() {
        instance(
                "delayqueue.callbacks.hooks.max-attempts=2",
                "delayqueue.callbacks.hooks.on-success.topic=results",
                // its messages need a URL, which a result to a topic has not
                "delayqueue.callbacks.results.allow-message-url=true",
                "delayqueue.callbacks.results.secrets=" + CallbackInstance.SECRET);
        instance.schedule(message("o1"));

        awaitAcked(1);
        assertThat(receiver.requests()).hasSize(1);
        assertThat(instance.lostResults()).containsExactly("hooks");
    }

    @Test
    void aDeadLetterIsOneWithoutItsResult() {
        instance(
                "delayqueue.callbacks.hooks.max-attempts=1",
                "delayqueue.callbacks.hooks.on-failure.topic=results",
                "delayqueue.callbacks.results.allow-message-url=true",
                "delayqueue.callbacks.results.secrets=" + CallbackInstance.SECRET);
        receiver.answer(request -> Reply.of(400));
        instance.schedule(message("o1"));

        assertThat(awaitDead("o1").error()).isEqualTo("the target answered with status 400");
        assertThat(receiver.requests()).hasSize(1);
        assertThat(instance.lostResults()).containsExactly("hooks");
    }

    @Test
    void aResultIsScheduledByItselfOnceRedisTakesIt() {
        instance("delayqueue.callbacks.hooks.on-success.topic=results");
        try (RedisClient admin = RedisClient.create(redis.uri());
                StatefulRedisConnection<String, String> connection = admin.connect()) {
            for (int i = 0; i < 200; i++) {
                instance.schedule(message("o" + i).delay(Duration.ofMinutes(10)));
            }
            connection.sync().configSet("maxmemory", "1");
            for (int i = 0; i < 200; i++) {
                instance.client().reschedule("hooks", "o" + i, Delay.of(Duration.ZERO));
            }
            awaitAcked(200);
            assertThat(instance.client().stats("results").totals().accepted()).isZero();
            connection.sync().configSet("maxmemory", "0");
        }

        await().atMost(LONG)
                .until(() -> instance.client().stats("results").totals().accepted() == 200);
        assertThat(receiver.requests()).as("each call was made once").hasSize(200);
        assertThat(instance.lostResults()).isEmpty();
    }

    @Test
    void aResultThatWaitsAtAStopIsTriedOnceMore() {
        instance("delayqueue.callbacks.hooks.on-success.topic=results");
        try (RedisClient admin = RedisClient.create(redis.uri());
                StatefulRedisConnection<String, String> connection = admin.connect()) {
            instance.schedule(message("o1").delay(Duration.ofMinutes(10)));
            connection.sync().configSet("maxmemory", "1");
            instance.client().reschedule("hooks", "o1", Delay.of(Duration.ZERO));
            awaitAcked(1);
            connection.sync().configSet("maxmemory", "0");
        }
        instance.stop();

        // a stop waits a second for it at most
        await().atMost(LONG)
                .until(() -> instance.client().stats("results").totals().accepted() == 1);
    }
}
