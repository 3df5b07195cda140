package io.delayqueue.promises;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.PullConsumer;
import io.delayqueue.PulledMessage;
import io.delayqueue.Subscription;
import io.delayqueue.testsupport.Deliveries;
import io.delayqueue.testsupport.TestQueue;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Consumers rely on the one that is to claim the next message. If it can't, it says so, and the message is not late. If it died, the
 * message is a second late at most.
 */
class RelyingConsumersTests {

    /** Those that rely on another one come 0.9 s after a message is due, less the moment by which all claims come early. */
    private static final Duration RELIED = Duration.ofMillis(850);

    private static final Duration LATEST = Duration.ofSeconds(1);
    private static final Duration DELAY = Duration.ofMillis(800);

    /** For a machine that is so slow that the first consumer has claimed the message before it is killed. */
    private static final int LEASE_MILLIS = 5_000;

    /** Messages that the first consumer handles before the one that it leaves. */
    private static final int HANDLED_BEFORE = 2;

    /** A stall of the machine spoils a round: the best one counts. */
    private static final int ROUNDS = 5;

    @RegisterExtension
    final TestQueue test = new TestQueue();

    private int acked;

    @Test
    void aMessageIsNotLateIfItsConsumerIsPaused() throws Exception {
        assertThat(quickest(() -> {
                    Subscription first = TestQueue.consume(process(), TestQueue.options(), (message, delivery) -> {});
                    return first::pause;
                }))
                .isLessThan(RELIED);
    }

    @Test
    void aMessageIsNotLateIfItsConsumerIsStopped() throws Exception {
        assertThat(quickest(() -> {
                    Subscription first = TestQueue.consume(process(), TestQueue.options(), (message, delivery) -> {});
                    return first::close;
                }))
                .isLessThan(RELIED);
    }

    @Test
    void aMessageIsNotLateIfNobodyWaitsAtItsConsumerAnyMore() throws Exception {
        assertThat(quickest(() -> {
                    PullConsumer pull = process().pullConsumer(TestQueue.TOPIC, PullConsumerTests.options());
                    for (int i = 0; i < HANDLED_BEFORE; i++) {
                        pull.receiveAsync(1, Duration.ofMinutes(1))
                                .thenAccept(
                                        pulled -> pull.ackAsync(pulled.get(0).receipt()));
                    }
                    CompletableFuture<List<PulledMessage>> waiting = pull.receiveAsync(1, Duration.ofMinutes(1));
                    return () -> waiting.cancel(true);
                }))
                .isLessThan(RELIED);
    }

    @Test
    void aMessageIsASecondLateAtMostIfItsConsumerDied() throws Exception {
        assertThat(quickest(() -> {
                    ChildConsumer child = ChildConsumer.working(test, LEASE_MILLIS, 5);
                    return child::kill;
                }))
                .isBetween(RELIED, LATEST);
    }

    /**
     * The lateness of a message whose consumer leaves before it is due, while another consumer relies on it. The quickest of some rounds,
     * up to the first one that the machine did not spoil.
     */
    private Duration quickest(First first) throws Exception {
        Duration quickest = Duration.ofDays(1);
        for (int round = 1; round <= ROUNDS && quickest.compareTo(LATEST) > 0; round++) {
            Deliveries deliveries = new Deliveries(test);
            try (Subscription other = TestQueue.consume(process(), TestQueue.options(), deliveries)) {
                other.pause();
                Leave leave = first.start();
                test.schedule("ready" + round);
                test.awaitAcked(++acked);
                String id = "message" + round;
                // the first consumer is expected for the one message when it has claimed the other one
                test.queue()
                        .scheduleAll(List.of(
                                TestQueue.message().id(id).delay(DELAY).build(),
                                TestQueue.message().id("now" + round).build()));
                awaitExpected(1);
                other.resume();
                awaitExpected(2);

                leave.run();

                acked += 2;
                test.awaitAcked(acked);
                for (Deliveries.Entry entry : deliveries.of(id)) {
                    quickest = entry.lateness();
                }
            }
        }
        return quickest;
    }

    /** Waits until so many are expected, or it is too late for that. */
    private void awaitExpected(int count) {
        TestQueue.await()
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(2))
                .until(() -> {
                    String expected = test.redis().hget(TestQueue.key("meta"), "expected1");
                    return expected != null && expected.split(",").length == count
                            || test.redis().exists(TestQueue.key("scheduled")) == 0;
                });
    }

    private DelayQueueClient process() {
        return test.open(options -> options);
    }

    /** Starts the consumer that is to claim the message. */
    private interface First {
        Leave start() throws Exception;
    }

    /** What it does before that. */
    private interface Leave {
        void run() throws Exception;
    }
}
