package io.delayqueue.promises;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.AsyncMessageHandler;
import io.delayqueue.ConsumerOptions;
import io.delayqueue.DelayQueueClient;
import io.delayqueue.DelayQueueObserver;
import io.delayqueue.MessageHandler;
import io.delayqueue.MessageState;
import io.delayqueue.ReceivedMessage;
import io.delayqueue.testsupport.Deliveries;
import io.delayqueue.testsupport.TestQueue;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A handler may put its message off without an attempt being counted. */
class PostponeTests {

    private static final Duration SHORT = Duration.ofMillis(20);

    private final List<Duration> told = new CopyOnWriteArrayList<>();

    @RegisterExtension
    final TestQueue test = new TestQueue();

    private void consume(ConsumerOptions.Builder options, MessageHandler handler) {
        DelayQueueClient queue = test.open(client -> client.observer(new DelayQueueObserver() {
            @Override
            public void postponed(ReceivedMessage message, Duration delay) {
                told.add(delay);
            }
        }));
        TestQueue.consume(queue, options, handler);
    }

    @Test
    void aMessageMayBePostponedMoreOftenThanItHasAttempts() {
        Deliveries deliveries = new Deliveries(test, (message, delivery) -> {
            if (told.size() < 5) {
                delivery.postpone(SHORT);
            }
        });
        consume(TestQueue.options().maxAttempts(1), deliveries);

        test.schedule("not now");

        assertThat(test.awaitDrained().totals().acked()).isEqualTo(1);
        assertThat(deliveries.attempts()).containsOnly(1).hasSizeGreaterThanOrEqualTo(6);
        assertThat(test.stats().totals().postponed()).isEqualTo(deliveries.all().size() - 1);
        assertThat(test.stats().totals().retried()).isZero();
        assertThat(told).containsOnly(SHORT);
    }

    @Test
    void itIsNotDeliveredBeforeTheDelayIsOver() throws Exception {
        Duration chosen = Duration.ofMillis(150);
        List<Instant> handledAt = new CopyOnWriteArrayList<>();
        Deliveries deliveries = new Deliveries(test, (message, delivery) -> {
            handledAt.add(test.now());
            if (handledAt.size() == 1) {
                delivery.postpone(chosen);
            }
        });
        consume(TestQueue.options(), deliveries);

        test.schedule("later");

        deliveries.next();
        assertThat(deliveries.next().at()).isAfterOrEqualTo(handledAt.get(0).plus(chosen));
    }

    @Test
    void aHandlerThatThrowsAfterwardsHasPostponedItsMessageToo() {
        consume(TestQueue.options().maxAttempts(1), (message, delivery) -> {
            delivery.postpone(Duration.ofHours(1));
            throw new IllegalStateException("as it can't begin");
        });

        test.queue().schedule(TestQueue.message().id("one").build());

        TestQueue.await().until(() -> test.stats().totals().postponed() == 1);
        var found = test.queue().find(TestQueue.TOPIC, "one").orElseThrow();
        assertThat(found.state()).isEqualTo(MessageState.SCHEDULED);
        assertThat(test.stats().totals().deadLettered()).isZero();
    }

    @Test
    void theLastOfSeveralRequestsCounts() {
        consume(TestQueue.options(), (message, delivery) -> {
            delivery.postpone(Duration.ofHours(1));
            delivery.deadLetter("no use");
        });

        test.schedule("undecided");

        TestQueue.await().until(() -> test.stats().dead() == 1);
        assertThat(test.stats().totals().postponed()).isZero();
    }

    @Test
    void anAsynchronousHandlerPostponesBeforeItsStageCompletes() {
        AtomicBoolean postponed = new AtomicBoolean();
        AsyncMessageHandler handler = (message, delivery) -> CompletableFuture.runAsync(() -> {
            if (postponed.compareAndSet(false, true)) {
                delivery.postpone(SHORT);
            }
        });
        consume(TestQueue.options().maxAttempts(1), handler);

        test.schedule("not now");

        assertThat(test.awaitDrained().totals().acked()).isEqualTo(1);
        assertThat(told).containsExactly(SHORT);
    }
}
