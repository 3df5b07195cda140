package io.delayqueue.gateway.callback;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.Delay;
import io.delayqueue.DuplicatePolicy;
import io.delayqueue.MessageInfo;
import io.delayqueue.MessageState;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.TopicStats;
import io.delayqueue.gateway.callback.Receiver.Reply;
import io.delayqueue.gateway.callback.Receiver.Request;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Callbacks from a real Redis to a real server. */
@ExtendWith(EmbeddedRedisExtension.class)
class CallbackHandlerTests {

    private static final Duration LONG = Duration.ofSeconds(30);
    private static final byte[] BODY = {'{', '}', 0, -1};
    private static final String TRACE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

    private EmbeddedRedis redis;
    private Receiver receiver;
    private CallbackInstance instance;

    @BeforeEach
    void start(EmbeddedRedis server) throws Exception {
        redis = server;
        receiver = new Receiver();
    }

    @AfterEach
    void stop() {
        if (instance != null) {
            instance.close();
        }
        receiver.close();
    }

    private void instance(String... properties) {
        instance = CallbackInstance.start(redis, receiver, properties);
    }

    private static OutgoingMessage.Builder message(String id) {
        return OutgoingMessage.to("hooks").id(id).payload(BODY);
    }

    private void awaitRequests(int count) {
        await().atMost(LONG).until(() -> receiver.requests().size() >= count);
    }

    private TopicStats stats() {
        return instance.client().stats("hooks");
    }

    private void awaitAcked(long count) {
        await().atMost(LONG).until(() -> stats().totals().acked() == count);
    }

    private MessageInfo awaitDead(String id) {
        return await().atMost(LONG)
                .until(
                        () -> instance.client().find("hooks", id),
                        found -> found.isPresent() && found.get().state() == MessageState.DEAD)
                .orElseThrow();
    }

    @Test
    void aDueMessageIsSentSignedAndAcked() {
        instance();
        Instant before = Instant.now().minusSeconds(1);
        instance.schedule(message("o1")
                .header("X-Tenant", "4711")
                .header("traceparent", TRACE)
                .delay(Duration.ofMillis(50)));

        awaitAcked(1);
        Request request = receiver.requests().get(0);
        assertThat(receiver.requests()).hasSize(1);
        assertThat(request.method()).isEqualTo("POST");
        assertThat(request.path()).isEqualTo("/in?x=1");
        assertThat(request.body()).isEqualTo(BODY);
        assertThat(request.headers())
                .containsEntry("x-tenant", "4711")
                .containsEntry("traceparent", TRACE)
                .containsEntry("content-type", "application/json")
                .containsEntry("user-agent", "delayqueue")
                .containsEntry("delayqueue-topic", "hooks")
                .containsEntry("delayqueue-attempt", "1")
                .containsEntry("delayqueue-max-attempts", "10")
                .doesNotContainKey("delayqueue-previous-status");
        assertThat(Instant.parse(request.header("delayqueue-due"))).isBetween(before, Instant.now());
        String id = request.header("webhook-id");
        assertThat(id).matches("msg_[a-z2-7]{26}");
        long time = Long.parseLong(request.header("webhook-timestamp"));
        assertThat(Instant.ofEpochSecond(time)).isBetween(before.minusSeconds(1), Instant.now());
        WebhookSignature signature = new WebhookSignature(List.of(WebhookSecret.parse(CallbackInstance.SECRET)));
        assertThat(request.header("webhook-signature"))
                .isEqualTo(signature.sign(id, Instant.ofEpochSecond(time), BODY));
    }

    @Test
    void retriesHaveTheSameIdAnotherTimestampAndThePreviousStatus() {
        instance("delayqueue.callbacks.hooks.backoff.delays=1100ms");
        receiver.answer(request -> Reply.of(request.header("delayqueue-attempt").equals("1") ? 500 : 200));
        instance.schedule(message("o1"));

        awaitAcked(1);
        Request first = receiver.requests().get(0);
        Request second = receiver.requests().get(1);
        assertThat(second.headers())
                .containsEntry("webhook-id", first.header("webhook-id"))
                .containsEntry("delayqueue-attempt", "2")
                .containsEntry("delayqueue-previous-status", "500");
        assertThat(Long.parseLong(second.header("webhook-timestamp")))
                .isGreaterThan(Long.parseLong(first.header("webhook-timestamp")));
        assertThat(stats().totals().retried()).isEqualTo(1);
    }

    @Test
    void aMessageThatReplacesAnotherHasAnotherId() {
        instance();
        receiver.answer(request -> new Reply(500, Map.of()));
        instance.schedule(message("o1").header("delayqueue-callback-delays", "3600"));
        awaitRequests(1);
        await().atMost(LONG).until(() -> stats().totals().retried() == 1);
        receiver.answer(request -> Reply.of(200));
        instance.schedule(message("o1").ifExists(DuplicatePolicy.REPLACE));

        awaitAcked(1);
        assertThat(receiver.requests().get(1).header("webhook-id"))
                .isNotEqualTo(receiver.requests().get(0).header("webhook-id"));
        assertThat(receiver.requests().get(1).headers())
                .containsEntry("delayqueue-attempt", "1")
                .doesNotContainKey("delayqueue-previous-status");
    }

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
    void aResultThatCantBeScheduledMakesTheAttemptFail() {
        instance(
                "delayqueue.callbacks.hooks.max-attempts=2",
                "delayqueue.callbacks.hooks.on-success.topic=results",
                // its messages need a URL, which a result to a topic has not
                "delayqueue.callbacks.results.allow-message-url=true",
                "delayqueue.callbacks.results.secrets=" + CallbackInstance.SECRET);
        instance.schedule(message("o1"));

        assertThat(awaitDead("o1").error()).contains("header 'delayqueue-callback-url' is missing");
        assertThat(receiver.requests()).hasSize(2);
    }

    @Test
    void aTargetThatIsGoneIsPausedInAllInstancesUntilResumed() {
        instance("delayqueue.callbacks.hooks.max-attempts=1");
        AtomicInteger status = new AtomicInteger(410);
        receiver.answer(request -> Reply.of(status.get()));
        instance.schedule(message("o1"));
        await().atMost(LONG).until(() -> stats().totals().postponed() == 1);
        instance.schedule(message("o2"));
        await().atMost(LONG).until(() -> stats().totals().postponed() == 2);
        assertThat(receiver.requests()).hasSize(1);
        instance.close();

        instance("delayqueue.callbacks.hooks.max-attempts=1");
        instance.schedule(message("o3"));
        await().atMost(LONG).until(() -> stats().totals().postponed() == 3);
        assertThat(receiver.requests()).as("another instance does not call it").hasSize(1);
        assertThat(instance.targets().states()).containsEntry("hook.example", TargetState.PAUSED);

        status.set(200);
        instance.targets().resume("hook.example");
        assertThat(instance.targets().states()).containsEntry("hook.example", TargetState.CALLED);
        for (String id : List.of("o1", "o2", "o3")) {
            instance.client().reschedule("hooks", id, Delay.of(Duration.ZERO));
        }
        awaitAcked(3);
        assertThat(receiver.requests().get(1).headers()).containsEntry("delayqueue-attempt", "1");
    }

    @Test
    void anOperatorsPauseHoldsMessages() {
        instance();
        instance.targets().pause("hook.example");
        instance.schedule(message("o1"));
        await().atMost(LONG).until(() -> stats().totals().postponed() == 1);

        assertThat(receiver.requests()).isEmpty();
    }

    @Test
    void aTargetThatAsksForFewerCallsGetsThemLater() {
        instance();
        receiver.answer(request ->
                receiver.requests().size() == 1 ? new Reply(503, Map.of("Retry-After", "2")) : Reply.of(200));
        instance.schedule(message("o1"));
        await().atMost(LONG).until(() -> stats().totals().retried() == 1);
        long begun = System.nanoTime();
        instance.schedule(message("o2"));

        await().atMost(LONG).until(() -> stats().totals().postponed() >= 1);
        assertThat(receiver.requests()).hasSize(1);
        awaitAcked(2);
        assertThat(Duration.ofNanos(System.nanoTime() - begun)).isGreaterThan(Duration.ofMillis(1_000));
    }

    @Test
    void aMessageMayHaveItsOwnUrlAndDelays() {
        instance(
                "delayqueue.callbacks.hooks.allow-message-url=true",
                "delayqueue.callbacks.hooks.backoff.delays=1h",
                "delayqueue.callbacks.hooks.method=put");
        receiver.answer(request -> Reply.of(request.header("delayqueue-attempt").equals("1") ? 400 : 200));
        instance.schedule(message("o1")
                .header(CallbackMessageHeaders.URL, "http://own.example:" + receiver.port() + "/own")
                .header(CallbackMessageHeaders.DELAYS, "PT0.05S,1"));

        awaitAcked(1);
        assertThat(receiver.requests()).hasSize(2).allSatisfy(request -> {
            assertThat(request.host()).isEqualTo("own.example");
            assertThat(request.method()).isEqualTo("PUT");
            assertThat(request.headers()).doesNotContainKeys(CallbackMessageHeaders.URL, CallbackMessageHeaders.DELAYS);
        });
    }

    @Test
    void aMessageWhoseUrlIsNoLongerAllowedIsDeadLetteredWithoutACall() {
        instance("delayqueue.callbacks.hooks.allow-message-url=true");
        instance.schedule(message("o1")
                .delay(Duration.ofMinutes(10))
                .header(CallbackMessageHeaders.URL, "http://own.example:" + receiver.port() + "/own"));
        instance.close();
        instance(
                "delayqueue.callbacks.hooks.allow-message-url=true",
                "delayqueue.gateway.callbacks.hosts=other.example");
        instance.client().reschedule("hooks", "o1", Delay.of(Duration.ZERO));

        assertThat(awaitDead("o1").error())
                .isEqualTo("no callback was sent: the host of the URL is not among the allowed hosts");
        assertThat(receiver.requests()).isEmpty();
    }

    @Test
    void givenUpMessagesOfASpanAreSentAgain() {
        instance("delayqueue.callbacks.hooks.max-attempts=1");
        receiver.answer(request -> Reply.of(500));
        instance.schedule(message("early"));
        Instant from = awaitDead("early").deadLetteredAt().plusNanos(1_000);
        instance.schedule(message("inside"));
        Instant to = awaitDead("inside").deadLetteredAt().plusNanos(1_000);
        instance.schedule(message("late"));
        awaitDead("late");
        receiver.answer(request -> Reply.of(200));

        CallbackReplay replay = new CallbackReplay(instance.client());
        assertThat(replay.replay("hooks", from, to)).isEqualTo(1);
        awaitAcked(1);
        assertThat(receiver.requests().get(3).header("webhook-id"))
                .isEqualTo(receiver.requests().get(1).header("webhook-id"));
        assertThat(stats().dead()).isEqualTo(2);
    }

    @Test
    void aCallUnderWayIsCancelledAtAStopAndItsMessageComesAgain() {
        instance("delayqueue.callbacks.hooks.max-attempts=1");
        receiver.answer(request -> Receiver.SILENCE);
        instance.schedule(message("o1"));
        awaitRequests(1);
        instance.stop();

        MessageInfo released = instance.client().find("hooks", "o1").orElseThrow();
        assertThat(released.state()).isEqualTo(MessageState.READY);
        instance.close();
        receiver.answer(request -> Reply.of(200));
        instance("delayqueue.callbacks.hooks.max-attempts=1");
        awaitAcked(1);
        assertThat(receiver.requests().get(1).headers()).containsEntry("delayqueue-attempt", "1");
    }
}
