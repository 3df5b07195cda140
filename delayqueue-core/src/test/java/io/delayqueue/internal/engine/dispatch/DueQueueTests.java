package io.delayqueue.internal.engine.dispatch;

import static io.delayqueue.testsupport.EngineFixtures.dueIn;
import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.internal.engine.settle.InFlightMessage;
import io.delayqueue.testsupport.EngineFixtures;
import io.delayqueue.testsupport.Eventually;
import io.delayqueue.testsupport.LogLines;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class DueQueueTests {

    private final DueQueue queue = new DueQueue();
    private final List<String> passedOn = new CopyOnWriteArrayList<>();
    private final Consumer<InFlightMessage> whenDue =
            message -> passedOn.add(message.message().id());

    @AfterEach
    void close() {
        queue.close();
    }

    @Test
    void aMessageIsPassedOnWhenItIsDueAndNotBefore() throws Exception {
        CompletableFuture<Long> late = new CompletableFuture<>();
        add(List.of(dueIn("a", Duration.ofMillis(20))), message -> late.complete(message.lateNanos()));

        assertThat(late.get()).isNotNegative();
    }

    @Test
    void anEarlierMessageOvertakes() {
        add(List.of(dueIn("much later", Duration.ofHours(1))), whenDue);
        Eventually.isAsleep(thread());
        // counted from when each is made: the later one is made last
        InFlightMessage soon = dueIn("soon", Duration.ofMillis(30));
        add(List.of(dueIn("later", Duration.ofMillis(60)), soon), whenDue);

        Eventually.asserted(() -> assertThat(passedOn).containsExactly("soon", "later"));
    }

    @Test
    void messagesThatAreDueAtTheSameTimeKeepTheirOrder() {
        long now = System.nanoTime();
        List<InFlightMessage> together = List.of("a", "b", "c", "d", "e", "f").stream()
                .map(id -> new InFlightMessage(EngineFixtures.claimed(id), 0, now + 20_000_000, now + 60_000_000_000L))
                .toList();
        add(together, whenDue);

        Eventually.asserted(() -> assertThat(passedOn).containsExactly("a", "b", "c", "d", "e", "f"));
    }

    @Test
    void aMessageThatCannotBePassedOnHoldsUpNoOther() {
        try (LogLines log = LogLines.ofEngine()) {
            add(List.of(dueIn("bad", Duration.ofMillis(5))), message -> {
                throw new IllegalStateException("pretended");
            });
            add(List.of(dueIn("good", Duration.ofMillis(10))), whenDue);

            Eventually.asserted(() -> assertThat(passedOn).containsExactly("good"));
            assertThat(log.with("could not be passed to its handlers")).hasSize(1);
        }
    }

    @Test
    void theMessagesOfOneSubscriptionCanBeForgotten() {
        Consumer<InFlightMessage> other = message -> passedOn.add("other");
        add(List.of(dueIn("a", Duration.ofSeconds(3))), whenDue);
        add(List.of(dueIn("b", Duration.ofMillis(3100))), other);

        queue.remove(whenDue);

        Eventually.asserted(() -> assertThat(passedOn).containsExactly("other"));
    }

    @Test
    void aMessageThatWasForgottenIsNotKeptByTheThreadThatWaitedForIt() {
        WeakReference<InFlightMessage> later = addLater();
        Eventually.isAsleep(thread());

        queue.remove(whenDue);

        Eventually.asserted(() -> {
            System.gc();
            assertThat(later.get()).isNull();
        });
    }

    /** No variable of the test has the message. */
    private WeakReference<InFlightMessage> addLater() {
        InFlightMessage message = dueIn("later", Duration.ofHours(1));
        add(List.of(message), whenDue);
        return new WeakReference<>(message);
    }

    @Test
    void anInterruptDoesNotEndTheThread() {
        add(List.of(dueIn("later", Duration.ofHours(1))), whenDue);
        Thread thread = thread();
        thread.interrupt();
        add(List.of(dueIn("soon", Duration.ofMillis(5))), whenDue);

        Eventually.asserted(() -> assertThat(passedOn).containsExactly("soon"));
    }

    @Test
    void closingEndsTheThread() throws Exception {
        add(List.of(dueIn("later", Duration.ofHours(1))), whenDue);
        Thread thread = thread();

        queue.close();

        thread.join(30_000);
        assertThat(thread.isAlive()).isFalse();
    }

    @Test
    void messagesOfAConsumerThatHasStoppedAreNotKept() {
        queue.add(List.of(dueIn("stopped", Duration.ofMillis(5))), whenDue, () -> true);
        add(List.of(dueIn("b", Duration.ofMillis(10))), whenDue);

        Eventually.asserted(() -> assertThat(passedOn).containsExactly("b"));
    }

    private void add(List<InFlightMessage> messages, Consumer<InFlightMessage> consumer) {
        queue.add(messages, consumer, () -> false);
    }

    private Thread thread() {
        return queue.thread();
    }
}
