package io.delayqueue.gateway.callback;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.OutgoingMessage;
import io.delayqueue.gateway.callback.Receiver.Reply;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Topics of two hosts are one target by their {@code flow}. That of a third has none, and is a target of its own. */
class SharedTargetsTests extends RunningCallbacks {

    private static final String LIMITS = "delayqueue.gateway.callbacks.flows[partner].";

    private final CountDownLatch answers = new CountDownLatch(1);

    @AfterEach
    void answer() {
        answers.countDown();
    }

    /** The topics {@code hooks} and {@code invoices} have a target together. */
    private void sharing(String... more) {
        List<String> properties = new ArrayList<>(List.of("delayqueue.callbacks.hooks.flow=partner"));
        for (String topic : List.of("invoices", "own")) {
            properties.add("delayqueue.callbacks." + topic + ".url=http://" + topic + ".example:" + receiver.port());
            properties.add("delayqueue.callbacks." + topic + ".secrets=" + CallbackInstance.SECRET);
            properties.add("delayqueue.callbacks." + topic + ".backoff.delays=100ms");
        }
        properties.add("delayqueue.callbacks.invoices.flow=partner");
        properties.addAll(List.of(more));
        instance(properties.toArray(String[]::new));
    }

    private void schedule(String topic, String id) {
        instance.schedule(OutgoingMessage.to(topic).id(id).payload(BODY));
    }

    private void awaitAcked(String topic, int count) {
        await().atMost(LONG).until(() -> instance.client().stats(topic).totals().acked() == count);
    }

    private void awaitPostponed(String topic) {
        await().atMost(LONG).until(() -> instance.client().stats(topic).totals().postponed() > 0);
    }

    @Test
    void aPauseHoldsTheMessagesOfBothTopics() {
        sharing();
        instance.targets().pause("partner");
        schedule("hooks", "h1");
        schedule("invoices", "i1");
        schedule("own", "o1");
        awaitPostponed("hooks");
        awaitPostponed("invoices");
        awaitAcked("own", 1);

        assertThat(receiver.requests()).extracting(Receiver.Request::host).containsExactly("own.example");
        assertThat(instance.targets().states())
                .containsEntry("partner", TargetState.PAUSED)
                .containsEntry("own.example", TargetState.CALLED)
                .as("the hosts are no targets")
                .hasSize(2);
    }

    @Test
    void callsOfBothTopicsAreUnderWayOneAtATime() {
        sharing(LIMITS + "parallelism=1");
        receiver.answer(request -> {
            try {
                answers.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            return Reply.of(200);
        });
        schedule("hooks", "h1");
        awaitRequests(1);
        schedule("invoices", "i1");
        awaitPostponed("invoices");
        schedule("own", "o1");
        schedule("own", "o2");
        await().atMost(LONG).until(() -> receiver.requestsOf("own.example") == 2);
        assertThat(receiver.requestsOf("invoices.example")).isZero();

        answers.countDown();
        awaitAcked("hooks", 1);
        awaitAcked("invoices", 1);
        awaitAcked("own", 2);
    }

    @Test
    void callsOfBothTopicsCountForTheRate() {
        // one call, and the next after hours
        sharing(LIMITS + "rate=0.0001");
        schedule("hooks", "h1");
        awaitAcked("hooks", 1);
        schedule("invoices", "i1");
        awaitPostponed("invoices");
        schedule("own", "o1");
        schedule("own", "o2");
        awaitAcked("own", 2);

        assertThat(receiver.requestsOf("invoices.example")).isZero();
    }

    @Test
    void failuresOfOneTopicStopTheOther() {
        sharing(LIMITS + "failures=2", LIMITS + "initial-break=1h", LIMITS + "max-break=1h");
        receiver.answer(request -> Reply.of(receiver.requestsOf(request.host()) <= 2 ? 500 : 200));
        schedule("hooks", "h1");
        await().atMost(LONG).until(() -> instance.targets().states().get("partner") == TargetState.STOPPED);
        schedule("invoices", "i1");
        awaitPostponed("invoices");
        assertThat(receiver.requestsOf("hook.example")).isEqualTo(2);
        assertThat(receiver.requestsOf("invoices.example")).isZero();

        schedule("own", "o1");
        awaitAcked("own", 1);
        assertThat(receiver.requestsOf("own.example"))
                .as("two failures stop the shared target only")
                .isEqualTo(3);
    }
}
