package io.delayqueue.promises;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.PullConsumer;
import io.delayqueue.PulledMessage;
import io.delayqueue.Subscription;
import io.delayqueue.testsupport.ClaimCounter;
import io.delayqueue.testsupport.Deliveries;
import io.delayqueue.testsupport.TestQueue;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Assumptions;
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
    private static final Duration DELAY = Duration.ofMillis(800);

    /** For a machine that is so slow that the first consumer has claimed the message before it is killed. */
    private static final int LEASE_MILLIS = 5_000;

    /** Messages that the first consumer handles before the one that it leaves. */
    private static final int HANDLED_BEFORE = 2;

    /** Messages that a consumer in a process of its own handles first. */
    private static final int WARM_UP = 20;

    /** A test plays rounds until most of three have the same result. */
    private static final int MOST = 2;

    /** With the rounds of a test that don't count, as its first consumer left too late, or the machine was too slow. */
    private static final int TRIES = 20;

    /** A round counts if no control was this late. */
    private static final Duration SLOW = Duration.ofMillis(300);

    /** Messages of another topic that only the other consumer handles: they are as late as the machine is slow. */
    private static final int CONTROLS = 60;

    private static final Duration BETWEEN_CONTROLS = Duration.ofMillis(20);

    @RegisterExtension
    final TestQueue test = new TestQueue();

    private int acked;
    private int tries;

    @Test
    void aMessageIsNotLateIfItsConsumerIsPaused() throws Exception {
        assertNotLate(() -> {
            Subscription first = TestQueue.consume(process(), TestQueue.options(), (message, delivery) -> {});
            return first::pause;
        });
    }

    @Test
    void aMessageIsNotLateIfItsConsumerIsStopped() throws Exception {
        assertNotLate(() -> {
            Subscription first = TestQueue.consume(process(), TestQueue.options(), (message, delivery) -> {});
            return first::close;
        });
    }

    @Test
    void aMessageIsNotLateIfNobodyWaitsAtItsConsumerAnyMore() throws Exception {
        assertNotLate(() -> {
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
        Round struck = roundThat(round -> round.counts(SLOW) && round.isRelied(), () -> {
            ChildConsumer child = ChildConsumer.working(test, LEASE_MILLIS, 5);
            // the first messages of a JVM take long
            test.scheduleMany(WARM_UP);
            acked += WARM_UP;
            test.awaitAcked(acked);
            return child::kill;
        });

        assertThat(struck.lateness().minus(struck.ofControls()))
                .as("later than messages that nobody left, in %s", struck)
                .isLessThan(LATEST);
    }

    /** Checks that a message is on time whose consumer leaves before it is due, while another consumer relies on it. */
    private void assertNotLate(First first) throws Exception {
        List<Round> late = new ArrayList<>();
        for (int onTime = 0; onTime < MOST; ) {
            Round round = roundThat(each -> each.counts(SLOW), first);
            if (round.isRelied()) {
                late.add(round);
                assertThat(late).as("late rounds").hasSizeLessThan(MOST);
            } else {
                onTime++;
            }
        }
    }

    /** The next round that counts. */
    private Round roundThat(Predicate<Round> counts, First first) throws Exception {
        List<Round> others = new ArrayList<>();
        while (tries < TRIES) {
            Round round = play("message" + ++tries, first);
            if (counts.test(round)) {
                return round;
            }
            others.add(round);
        }
        assertThat(others.stream().filter(round -> round.counts(SLOW)))
                .as("rounds in which nobody relied on the first consumer")
                .hasSizeLessThan(MOST);
        String reason = "the last of " + TRIES + " rounds did not count: " + others;
        System.out.println("SKIPPED: " + reason);
        return Assumptions.abort(reason);
    }

    private Round play(String id, First first) throws Exception {
        Deliveries deliveries = new Deliveries(test);
        Deliveries controls = new Deliveries(test);
        ClaimCounter claims = new ClaimCounter();
        DelayQueueClient process = test.open(options -> options.observer(claims));
        try (Subscription other = TestQueue.consume(process, TestQueue.options(), deliveries);
                Subscription control =
                        process.subscribe("control-" + id, TestQueue.options().build(), controls)) {
            // one that is under way would take the message that shows that the first consumer is there
            claims.await(1);
            other.pause();
            control.start();
            Leave leave = first.start();
            test.schedule("ready-" + id);
            test.awaitAcked(++acked);
            // the first consumer is expected for the one message when it has claimed the other one
            Instant due = test.now().plus(DELAY);
            scheduleControls("control-" + id, due);
            test.queue()
                    .scheduleAll(List.of(
                            TestQueue.message().id(id).dueAt(due).build(),
                            TestQueue.message().id("now-" + id).build()));
            awaitExpected(1);
            other.resume();
            awaitExpected(2);

            leave.run();

            boolean leftInTime = test.redis().zscore(TestQueue.key("scheduled"), id) != null;
            acked += 2;
            test.awaitAcked(acked);
            Optional<Deliveries.Entry> delivered = deliveries.of(id).stream()
                    .filter(each -> each.attempt() == 1)
                    .findFirst();
            return leftInTime && delivered.isPresent()
                    ? new Round(
                            delivered.get().lateness(),
                            latenessOfControls(controls, due, delivered.get().at()))
                    : Round.LEFT_TOO_LATE;
        }
    }

    private void scheduleControls(String topic, Instant due) {
        test.queue()
                .scheduleAll(IntStream.range(0, CONTROLS)
                        .mapToObj(i -> OutgoingMessage.to(topic)
                                .id(String.valueOf(i))
                                .dueAt(due.plus(BETWEEN_CONTROLS.multipliedBy(i)))
                                .payload(TestQueue.bytes("control"))
                                .build())
                        .toList());
    }

    /** The most of those that were due by then. */
    private static Duration latenessOfControls(Deliveries controls, Instant due, Instant then) {
        List<String> ids = IntStream.range(0, CONTROLS)
                .filter(i -> due.plus(BETWEEN_CONTROLS.multipliedBy(i)).isBefore(then))
                .mapToObj(String::valueOf)
                .toList();
        TestQueue.await().until(() -> controls.ids().containsAll(ids));
        return controls.all().stream()
                .map(Deliveries.Entry::lateness)
                .max(Comparator.naturalOrder())
                .orElse(Duration.ZERO);
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

    /**
     * The lateness of a message whose consumer left.
     *
     * @param lateness by Redis' clock; forever if the consumer left too late
     * @param ofControls the same of messages meanwhile that nobody left
     */
    private record Round(Duration lateness, Duration ofControls) {

        private static final Duration FOREVER = ChronoUnit.FOREVER.getDuration();
        static final Round LEFT_TOO_LATE = new Round(FOREVER, FOREVER);

        boolean counts(Duration slow) {
            return ofControls.compareTo(slow) < 0;
        }

        /** Whether the message waited for a consumer that relied on the one that left. */
        boolean isRelied() {
            return lateness.compareTo(RELIED) >= 0;
        }
    }

    /** Starts the consumer that is to claim the message. */
    private interface First {
        Leave start() throws Exception;
    }

    /** Done before that. */
    private interface Leave {
        void run() throws Exception;
    }
}
