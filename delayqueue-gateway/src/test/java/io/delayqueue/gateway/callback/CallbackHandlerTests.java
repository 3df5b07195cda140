package io.delayqueue.gateway.callback;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.Delay;
import io.delayqueue.DuplicatePolicy;
import io.delayqueue.MessageInfo;
import io.delayqueue.MessageState;
import io.delayqueue.gateway.callback.Receiver.Reply;
import io.delayqueue.gateway.callback.Receiver.Request;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Callbacks from a real Redis to a real server. */
class CallbackHandlerTests extends RunningCallbacks {

    private static final String TRACE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

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

    /** Also if nobody renews the lease: the process may stand still while its call runs. */
    @Test
    void theLeaseInRedisOutlivesTheTotalTimeOfTheCall() {
        Duration total = Duration.ofMinutes(5);
        instance("delayqueue.gateway.callbacks.total-timeout=5m", "delayqueue.gateway.callbacks.response-timeout=5m");
        receiver.answer(request -> Receiver.SILENCE);
        instance.schedule(message("o1"));
        awaitRequests(1);

        String begun = receiver.requests().get(0).header("webhook-timestamp");
        Instant end = Instant.ofEpochSecond(Long.parseLong(begun) + 1).plus(total);
        MessageInfo message = instance.client().find("hooks", "o1").orElseThrow();
        assertThat(message.state()).isEqualTo(MessageState.IN_FLIGHT);
        assertThat(message.leaseDeadline()).isAfter(end);
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
    void aCallUnderWayIsCancelledAtAStopAndItsMessageIsDeliveredAgain() {
        instance("delayqueue.callbacks.hooks.max-attempts=1");
        receiver.answer(request -> Receiver.SILENCE);
        instance.schedule(message("o1"));
        awaitRequests(1);
        instance.stop();

        // a stop waits two seconds for it at most, and the lease would end later than this wait
        await().atMost(LONG)
                .until(() -> instance.client().find("hooks", "o1").orElseThrow().state() == MessageState.READY);
        instance.close();
        receiver.answer(request -> Reply.of(200));
        instance("delayqueue.callbacks.hooks.max-attempts=1");
        awaitAcked(1);
        assertThat(receiver.requests().get(1).headers()).containsEntry("delayqueue-attempt", "1");
    }
}
