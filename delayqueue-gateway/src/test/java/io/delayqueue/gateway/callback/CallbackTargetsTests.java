package io.delayqueue.gateway.callback;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.Delay;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.gateway.callback.Receiver.Reply;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Targets that are gone, paused, throttled or silent. */
class CallbackTargetsTests extends RunningCallbacks {

    @Test
    void aUrlThatIsGoneIsPausedInAllInstancesUntilResumed() {
        instance("delayqueue.callbacks.hooks.max-attempts=1");
        AtomicInteger status = new AtomicInteger(410);
        receiver.answer(request -> Reply.of(status.get()));
        instance.schedule(message("o1"));
        await().atMost(LONG).until(() -> stats().totals().postponed() == 1);
        assertThat(receiver.requests()).hasSize(1);
        instance.close();

        // the first one had no second message that would have told Redis
        instance("delayqueue.callbacks.hooks.max-attempts=1");
        instance.schedule(message("o2"));
        await().atMost(LONG).until(() -> stats().totals().postponed() == 2);
        assertThat(receiver.requests()).as("another instance does not call it").hasSize(1);
        String key = key("http://hook.example:" + receiver.port() + "/in?x=1");
        assertThat(instance.targets().states()).containsEntry(key, TargetState.PAUSED);
        assertThat(instance.targets().count(TargetState.PAUSED)).isEqualTo(1);

        status.set(200);
        instance.targets().resume(key);
        assertThat(instance.targets().states()).doesNotContainKey(key);
        assertThat(instance.targets().count(TargetState.PAUSED)).isZero();
        for (String id : List.of("o1", "o2")) {
            instance.client().reschedule("hooks", id, Delay.of(Duration.ZERO));
        }
        awaitAcked(2);
        assertThat(receiver.requests().get(1).headers()).containsEntry("delayqueue-attempt", "1");
    }

    private static String key(String url) {
        return CallbackTopic.keyOf(URI.create(url));
    }

    @Test
    void aUrlThatIsGoneHoldsNoNeighbourOnItsHost() {
        instance(
                "delayqueue.callbacks.hooks.allow-message-url=true",
                "delayqueue.callbacks.others.url=http://hook.example:" + receiver.port() + "/others",
                "delayqueue.callbacks.others.secrets=" + CallbackInstance.SECRET);
        receiver.answer(request -> Reply.of(request.path().equals("/gone") ? 410 : 200));
        String gone = "http://hook.example:" + receiver.port() + "/gone";
        instance.schedule(message("gone").header(CallbackMessageHeaders.URL, gone));
        await().atMost(LONG).until(() -> instance.targets().states().get(key(gone)) == TargetState.PAUSED);

        instance.schedule(message("topic"));
        instance.schedule(message("own")
                .header(CallbackMessageHeaders.URL, "http://hook.example:" + receiver.port() + "/gone?not"));
        instance.schedule(OutgoingMessage.to("others").id("o1").payload(BODY));
        instance.schedule(message("gone too").header(CallbackMessageHeaders.URL, gone));
        awaitAcked(2);
        await().atMost(LONG)
                .until(() -> instance.client().stats("others").totals().acked() == 1);
        await().atMost(LONG).until(() -> stats().totals().postponed() == 2);
        assertThat(receiver.requests())
                .filteredOn(request -> request.path().equals("/gone"))
                .hasSize(1);
        assertThat(instance.targets().states()).containsEntry("hook.example", TargetState.CALLED);
    }

    @Test
    void aUrlThatAsksForFewerCallsHoldsNoNeighbourOnItsHost() {
        instance("delayqueue.callbacks.hooks.allow-message-url=true");
        receiver.answer(request ->
                request.path().equals("/busy") ? new Reply(429, Map.of("Retry-After", "3000")) : Reply.of(200));
        instance.schedule(message("busy").header(CallbackMessageHeaders.URL, url("/busy")));
        await().atMost(LONG).until(() -> stats().totals().retried() == 1);

        instance.schedule(message("topic"));
        instance.schedule(message("own").header(CallbackMessageHeaders.URL, url("/own")));
        instance.schedule(message("busy too").header(CallbackMessageHeaders.URL, url("/busy")));
        awaitAcked(2);
        await().atMost(LONG).until(() -> stats().totals().postponed() == 1);
        assertThat(requestsTo("/busy")).isEqualTo(1);
        assertThat(instance.targets().states())
                .containsEntry(key(url("/busy")), TargetState.THROTTLED)
                .containsEntry("hook.example", TargetState.CALLED)
                .hasSize(2);
        assertThat(instance.targets().count(TargetState.THROTTLED)).isEqualTo(1);
    }

    @Test
    void aUrlThatFailsStopsNoNeighbourOnItsHost() {
        instance(
                "delayqueue.callbacks.hooks.allow-message-url=true",
                "delayqueue.gateway.callbacks.flow.failures=3",
                "delayqueue.gateway.callbacks.flow.initial-break=1h",
                "delayqueue.gateway.callbacks.flow.max-break=1h");
        receiver.answer(request -> Reply.of(request.path().equals("/failing") ? 500 : 200));
        for (int i = 0; i < 50; i++) {
            instance.schedule(message("failing" + i).header(CallbackMessageHeaders.URL, url("/failing")));
        }
        await().atMost(LONG).until(() -> instance.targets().states().get(key(url("/failing"))) == TargetState.STOPPED);

        instance.schedule(message("topic"));
        instance.schedule(message("own").header(CallbackMessageHeaders.URL, url("/own")));
        awaitAcked(2);
        assertThat(instance.targets().states()).containsEntry("hook.example", TargetState.CALLED);
        assertThat(requestsTo("/failing")).isLessThanOrEqualTo(10 + 3);
    }

    @Test
    void aHostWhoseUrlsFailIsStopped() {
        instance(
                "delayqueue.callbacks.hooks.allow-message-url=true",
                "delayqueue.gateway.callbacks.flow.failures=3",
                "delayqueue.gateway.callbacks.flow.initial-break=1h",
                "delayqueue.gateway.callbacks.flow.max-break=1h");
        receiver.answer(request -> Reply.of(500));
        for (int i = 0; i < 50; i++) {
            instance.schedule(message("o" + i).header(CallbackMessageHeaders.URL, url("/" + i)));
        }

        await().atMost(LONG).until(() -> instance.targets().states().get("hook.example") == TargetState.STOPPED);
        await().atMost(LONG).until(() -> stats().totals().postponed() >= 50 - 14);
        assertThat(receiver.requests()).hasSizeLessThanOrEqualTo(10 + 3 + 1);
    }

    private String url(String path) {
        return "http://hook.example:" + receiver.port() + path;
    }

    private long requestsTo(String path) {
        return receiver.requests().stream()
                .filter(request -> request.path().equals(path))
                .count();
    }

    /** Each message may name a URL of its own: they must not fill what every instance reads. */
    @Test
    void messagesToFurtherUrlsThatAreGoneFailWhenManyArePaused() {
        instance("delayqueue.callbacks.hooks.max-attempts=1");
        for (int i = 0; i < CallbackTargets.MOST_PAUSED; i++) {
            instance.targets().pause("target" + i);
        }
        receiver.answer(request -> Reply.of(410));
        instance.schedule(message("o1"));

        assertThat(awaitDead("o1").error()).contains("410");
        assertThat(instance.targets().count(TargetState.PAUSED)).isEqualTo(CallbackTargets.MOST_PAUSED);
    }

    @Test
    void aResumeOfAnotherInstanceIsSeen() {
        instance();
        instance.targets().pause("hook.example");
        try (CallbackInstance other = CallbackInstance.start(redis, receiver)) {
            await().atMost(LONG).until(() -> other.targets().count(TargetState.PAUSED) == 1);
            other.targets().resume("hook.example");
        }

        await().atMost(LONG).until(() -> instance.targets().count(TargetState.PAUSED) == 0);
        instance.schedule(message("o1"));
        awaitAcked(1);
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
        instance("delayqueue.gateway.callbacks.flow.initial-break=10ms");
        List<Long> called = new CopyOnWriteArrayList<>();
        receiver.answer(request -> {
            called.add(System.nanoTime());
            return called.size() == 1 ? new Reply(503, Map.of("Retry-After", "3")) : Reply.of(200);
        });
        instance.schedule(message("o1"));
        await().atMost(LONG).until(() -> stats().totals().retried() == 1);
        instance.schedule(message("o2"));

        awaitAcked(2);
        assertThat(Duration.ofNanos(called.get(1) - called.get(0)))
                .as("both messages of the target wait, though delays and breaks are short")
                .isGreaterThanOrEqualTo(Duration.ofSeconds(3));
        assertThat(stats().totals().retried()).isEqualTo(1);
    }

    @Test
    void aMessageIsNotTriedBeforeItsTargetAskedForIt() {
        instance();
        receiver.answer(request -> new Reply(429, Map.of("Retry-After", "600")));
        instance.schedule(message("o1"));
        await().atMost(LONG).until(() -> stats().totals().retried() == 1);

        assertThat(instance.client().find("hooks", "o1").orElseThrow().due())
                .isAfter(Instant.now().plusSeconds(500));
        assertThat(stats().totals().postponed())
                .as("by its own delay, which holds in each instance")
                .isZero();
    }

    /** The client of messages ends, and the HTTP client does not. */
    @Test
    void theCallOfAMessageThatIsReleasedIsCancelled() throws Exception {
        try (ServerSocket silent = new ServerSocket(0, 5, InetAddress.getByName("127.0.0.1"))) {
            silent.setSoTimeout(30_000);
            instance(
                    "delayqueue.gateway.callbacks.ports=" + silent.getLocalPort(),
                    "delayqueue.gateway.callbacks.response-timeout=10m",
                    "delayqueue.gateway.callbacks.total-timeout=10m",
                    "delayqueue.callbacks.hooks.url=http://hook.example:" + silent.getLocalPort() + "/");
            instance.schedule(message("o1"));
            try (Socket call = silent.accept()) {
                call.setSoTimeout(30_000);
                assertThat(call.getInputStream().read()).as("it begins").isPositive();
                instance.client().close();
                await().atMost(LONG).until(() -> instance.calls().equals(List.of("hooks hook.example CANCELLED")));
            }
        }
    }
}
