package io.delayqueue.promises;

import static org.assertj.core.api.Assertions.fail;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.PullConsumer;
import io.delayqueue.PulledMessage;
import io.delayqueue.Subscription;
import io.delayqueue.testsupport.Deliveries;
import io.delayqueue.testsupport.TestQueue;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Consumers rely on the one that is to claim the next message. If it can't, it says so, and the message is not late. If it died, the
 * message is a second late at most.
 */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class RelyingConsumersTests {

    /** Those that rely on another one come 0.9 s after a message is due, less the moment by which all claims come early. */
    private static final Duration RELIED = Duration.ofMillis(850);

    private static final Duration LATEST = Duration.ofSeconds(1);
    private static final Duration NOT = Duration.ZERO;
    private static final Duration DELAY = Duration.ofMillis(800);

    /** For a machine that is so slow that the first consumer has claimed the message before it is killed. */
    private static final int LEASE_MILLIS = 5_000;

    /** Messages that the first consumer handles before the one that it leaves. */
    private static final int HANDLED_BEFORE = 2;

    /** A stall of the machine spoils a round: then another one follows. */
    private static final int ROUNDS = 20;

    @RegisterExtension
    final TestQueue test = new TestQueue();

    private int acked;

    @Test
    void aMessageIsNotLateIfItsConsumerIsPaused() throws Exception {
        assertLate(NOT, RELIED, () -> {
            Subscription first = TestQueue.consume(process(), TestQueue.options(), (message, delivery) -> {});
            return first::pause;
        });
    }

    @Test
    void aMessageIsNotLateIfItsConsumerIsStopped() throws Exception {
        assertLate(NOT, RELIED, () -> {
            Subscription first = TestQueue.consume(process(), TestQueue.options(), (message, delivery) -> {});
            return first::close;
        });
    }

    @Test
    void aMessageIsNotLateIfNobodyWaitsAtItsConsumerAnyMore() throws Exception {
        assertLate(NOT, RELIED, () -> {
            PullConsumer pull = process().pullConsumer(TestQueue.TOPIC, PullConsumerTests.options());
            for (int i = 0; i < HANDLED_BEFORE; i++) {
                pull.receiveAsync(1, Duration.ofMinutes(1))
                        .thenAccept(pulled -> pull.ackAsync(pulled.get(0).receipt()));
            }
            CompletableFuture<List<PulledMessage>> waiting = pull.receiveAsync(1, Duration.ofMinutes(1));
            // in a round that a stall spoiled
            waiting.thenAccept(pulled -> pull.ackAsync(pulled.get(0).receipt()));
            return () -> waiting.cancel(true);
        });
    }

    @Test
    void aMessageIsASecondLateAtMostIfItsConsumerDied() throws Exception {
        assertLate(RELIED, LATEST, () -> {
            ChildConsumer child = ChildConsumer.working(test, LEASE_MILLIS, 5);
            return child::kill;
        });
    }

    /** Checks how late a message is whose consumer leaves before it is due, while another consumer relies on it. */
    private void assertLate(Duration from, Duration until, First first) throws Exception {
        List<Duration> latenesses = new ArrayList<>();
        for (int round = 1; round <= ROUNDS; round++) {
            Duration lateness = latenessOf("message" + round, first);
            if (lateness != null && lateness.compareTo(from) >= 0 && lateness.compareTo(until) < 0) {
                return;
            }
            latenesses.add(lateness);
        }
        fail("not between %s and %s late in any round: %s", from, until, latenesses);
    }

    /** Null if the first consumer left too late. */
    private @Nullable Duration latenessOf(String id, First first) throws Exception {
        Deliveries deliveries = new Deliveries(test);
        try (Subscription other = TestQueue.consume(process(), TestQueue.options(), deliveries)) {
            other.pause();
            Leave leave = first.start();
            test.schedule("ready-" + id);
            test.awaitAcked(++acked);
            // the first consumer is expected for the one message when it has claimed the other one
            test.queue()
                    .scheduleAll(List.of(
                            TestQueue.message().id(id).delay(DELAY).build(),
                            TestQueue.message().id("now-" + id).build()));
            awaitExpected(1);
            other.resume();
            awaitExpected(2);

            leave.run();

            boolean leftInTime = test.redis().zscore(TestQueue.key("scheduled"), id) != null;
            acked += 2;
            test.awaitAcked(acked);
            List<Deliveries.Entry> delivered = deliveries.of(id);
            return leftInTime && !delivered.isEmpty() ? delivered.get(0).lateness() : null;
        }
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
