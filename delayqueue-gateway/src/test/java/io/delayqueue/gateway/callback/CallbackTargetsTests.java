package io.delayqueue.gateway.callback;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.Delay;
import io.delayqueue.gateway.callback.Receiver.Reply;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Targets that are gone, paused, throttled or silent. */
class CallbackTargetsTests extends RunningCallbacks {

    @Test
    void aTargetThatIsGoneIsPausedInAllInstancesUntilResumed() {
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
        assertThat(instance.targets().states()).containsEntry("hook.example", TargetState.PAUSED);
        assertThat(instance.targets().count(TargetState.PAUSED)).isEqualTo(1);

        status.set(200);
        instance.targets().resume("hook.example");
        assertThat(instance.targets().states()).containsEntry("hook.example", TargetState.CALLED);
        assertThat(instance.targets().count(TargetState.PAUSED)).isZero();
        for (String id : List.of("o1", "o2")) {
            instance.client().reschedule("hooks", id, Delay.of(Duration.ZERO));
        }
        awaitAcked(2);
        assertThat(receiver.requests().get(1).headers()).containsEntry("delayqueue-attempt", "1");
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
        instance("delayqueue.gateway.callbacks.flow.first-break=10ms");
        receiver.answer(request ->
                receiver.requests().size() == 1 ? new Reply(503, Map.of("Retry-After", "3")) : Reply.of(200));
        instance.schedule(message("o1"));
        awaitRequests(1);
        long answered = System.nanoTime();
        await().atMost(LONG).until(() -> stats().totals().retried() == 1);
        instance.schedule(message("o2"));

        awaitRequests(2);
        assertThat(Duration.ofNanos(System.nanoTime() - answered))
                .as("both messages of the target wait, though delays and breaks are short")
                .isGreaterThan(Duration.ofMillis(2_500));
        awaitAcked(2);
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
    void theCallOfAMessageThatIsGivenBackIsCancelled() throws Exception {
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
