package io.delayqueue.internal.engine.consume;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.ReceivedMessage;
import io.delayqueue.internal.engine.settle.InFlightMessage;
import io.delayqueue.internal.engine.settle.Settlements;
import io.delayqueue.internal.store.Claimed;
import io.delayqueue.internal.store.Extension;
import io.delayqueue.testsupport.EngineFixtures;
import io.delayqueue.testsupport.Eventually;
import io.delayqueue.testsupport.Mood;
import io.delayqueue.testsupport.SleepyStore;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class BeginMarksTests {

    private static final Duration TIMEOUT = Duration.ofSeconds(20);

    private final SleepyStore store = new SleepyStore();
    private final ScheduledExecutorService timer = EngineFixtures.timer();
    private final Settlements settlements = EngineFixtures.settlements(store, timer);
    private final BeginMarks all = new BeginMarks();
    private final BeginMarks.Marks marks = all.of(this::extend, TIMEOUT);

    @AfterEach
    void stopTimer() {
        timer.shutdownNow();
    }

    @Test
    void healthyMessagesAreNotMarked() {
        assertThat(marks.begin(healthy("a"))).isTrue();
        assertThat(marks.begin(healthy("b"))).isTrue();

        assertThat(store.calls("extend")).isEmpty();
    }

    @Test
    void aSingleAttemptIsMarkedAsBegun() {
        assertThat(marks.begin(message("a", 1, false))).isTrue();

        assertThat(extended()).containsExactly("a");
    }

    @Test
    void aSingleAttemptWhoseLeaseIsLostIsNotBegun() {
        store.held = lease -> false;

        assertThat(marks.begin(message("a", 1, false))).isFalse();
    }

    @Test
    void aSingleAttemptIsNotBegunWhileRedisIsSilent() {
        store.be(Mood.SILENT);

        assertThat(all.of(this::extend, Duration.ofMillis(50)).begin(message("a", 1, false)))
                .isFalse();
    }

    /** Each of them holds a slot meanwhile, which handlers of other servers' messages need. */
    @Test
    void aMarkOfASilentServerIsWaitedForATenthOfASecond() {
        store.be(Mood.SILENT);
        long start = System.nanoTime();

        IntStream.range(0, 20)
                .forEach(
                        i -> assertThat(marks.begin(message("m" + i, 1, false))).isFalse());

        assertThat(System.nanoTime() - start)
                .isLessThan(20 * MarkPatience.MIN_NANOS + TimeUnit.SECONDS.toNanos(5))
                .isLessThan(TIMEOUT.toNanos());
    }

    @Test
    void marksOfAServerThatIsAlwaysSlowAreWaitedForOnceOneWasAnswered() {
        CountDownLatch answered = new CountDownLatch(1);
        BeginMarks.Marks slow = all.of(
                (message, alone) -> message.partition() == 1
                        ? held(message, alone)
                        : held(message, alone)
                                .thenApplyAsync(
                                        held -> held,
                                        CompletableFuture.delayedExecutor(
                                                3 * MarkPatience.MIN_NANOS, TimeUnit.NANOSECONDS))
                                .whenComplete((held, error) -> answered.countDown()),
                TIMEOUT);
        assertThat(slow.begin(message("first", 1, false))).isFalse();
        Eventually.asserted(() -> assertThat(answered.getCount()).isZero());

        // what the first one took is known a moment after its answer
        Eventually.asserted(
                () -> assertThat(slow.begin(message("second", 1, false))).isTrue());
        int begun = 0;
        for (int i = 0; i < 5; i++) {
            assertThat(slow.begin(new InFlightMessage(claimed("quick" + i, 1, false), 1, 0, 0)))
                    .as("a quick partition beside it")
                    .isTrue();
            begun += slow.begin(message("m" + i, 1, false)) ? 1 : 0;
        }
        // a stall of the machine makes one of them too late
        assertThat(begun).as("of five, each after a quick one").isGreaterThanOrEqualTo(4);
    }

    @Test
    void aSuspectThatIsAloneIsMarkedSo() {
        marks.begin(healthy("before"));
        marks.handlerEnded();

        assertThat(marks.begin(suspect("s"))).isTrue();

        assertThat(extended()).containsExactly("s alone");
    }

    @Test
    void aSuspectThatBeginsBesideOthersIsMarked() {
        marks.begin(healthy("a"));

        assertThat(marks.begin(suspect("s"))).isTrue();

        assertThat(extended()).containsExactly("s");
    }

    @Test
    void aSuspectIsMarkedOnceBeforeOthersBeginBesideIt() {
        BeginMarks.Marks otherTopic = all.of(this::extend, TIMEOUT);
        marks.begin(suspect("s"));

        IntStream.range(0, 50)
                .forEach(i -> assertThat(otherTopic.begin(healthy("m" + i))).isTrue());

        assertThat(extended()).containsExactly("s alone", "s");
    }

    @Test
    void nothingIsMarkedAfterTheSuspectWasSettled() {
        InFlightMessage suspect = suspect("s");
        marks.begin(suspect);
        marks.handlerEnded();
        marks.settled(suspect);

        marks.begin(healthy("a"));

        assertThat(extended()).containsExactly("s alone");
    }

    @Test
    void healthyMessagesDoNotWaitForASuspectWhoseServerIsSilent() {
        marks.begin(suspect("s"));
        store.be(Mood.SILENT);
        long start = System.nanoTime();

        IntStream.range(0, 50)
                .forEach(i -> assertThat(marks.begin(healthy("m" + i))).isTrue());

        assertThat(System.nanoTime() - start).isLessThan(TimeUnit.SECONDS.toNanos(10));
    }

    /** One suspect after the other on a silent server: each stops the other handlers for a moment only. */
    @Test
    void suspectsOnASilentServerStopOtherHandlersForAMomentOnly() {
        BeginMarks.Marks impatient = all.of(this::extend, Duration.ofMillis(10));
        store.be(Mood.SILENT);
        long start = System.nanoTime();

        for (int i = 0; i < 12; i++) {
            InFlightMessage suspect = suspect("s" + i);
            assertThat(impatient.begin(suspect)).isFalse();
            assertThat(marks.begin(healthy("m" + i))).isTrue();
            marks.settled(suspect);
            marks.handlerEnded();
            marks.handlerEnded();
        }

        assertThat(System.nanoTime() - start).isLessThan(TimeUnit.SECONDS.toNanos(8));
    }

    @Test
    void handlersThatRunOnAfterTheirMessagesWereSettledLeaveNoSuspectAlone() {
        List<InFlightMessage> timedOut =
                IntStream.range(0, 50).mapToObj(i -> healthy("m" + i)).toList();
        timedOut.forEach(marks::begin);
        timedOut.forEach(marks::settled);
        for (int running = 50; running > 0; running--) {
            InFlightMessage suspect = suspect("s" + running);
            marks.begin(suspect);
            assertThat(extended()).last().isEqualTo("s" + running);
            marks.handlerEnded();
            marks.settled(suspect);
            marks.handlerEnded();
        }

        marks.begin(suspect("s"));

        assertThat(extended()).last().isEqualTo("s alone");
    }

    @Test
    void aSuspectWhoseHandlerRunsOnAfterItsTimeoutLeavesTheNextOneNotAlone() {
        InFlightMessage timedOut = suspect("timed out");
        marks.begin(timedOut);
        marks.settled(timedOut);

        marks.begin(suspect("next"));

        assertThat(extended()).containsExactly("timed out alone", "next");
    }

    /** The other handler begins between the suspect's look at the handlers that run and its mark. */
    @Test
    void aSuspectIsNeverMarkedAsAloneAfterAnotherBeganBesideIt() throws Exception {
        List<String> sent = new CopyOnWriteArrayList<>();
        List<Thread> others = new CopyOnWriteArrayList<>();
        BeginMarks.Marks otherTopic = all.of(BeginMarksTests::held, TIMEOUT);
        BeginMarks.Marks slow = all.of(
                (message, alone) -> {
                    if (alone) {
                        Thread other = new Thread(() -> otherTopic.begin(healthy("a")), "other");
                        others.add(other);
                        other.start();
                        // it has sent its mark, or waits for this one
                        Eventually.asserted(() ->
                                assertThat(other.getState()).isIn(Thread.State.TIMED_WAITING, Thread.State.TERMINATED));
                    }
                    sent.add(message.message().id() + (alone ? " alone" : ""));
                    return held(message, alone);
                },
                TIMEOUT);

        assertThat(slow.begin(suspect("s"))).isTrue();

        others.get(0).join();
        assertThat(sent).containsExactly("s alone", "s");
    }

    @Test
    void aSuspectThatWasSettledBeforeItBeganIsNotBegunAndKeepsNobodyWaiting() {
        InFlightMessage stopped = suspect("stopped");
        stopped.decide();
        marks.settled(stopped);

        assertThat(marks.begin(stopped)).isFalse();
        marks.handlerEnded();

        assertThat(marks.begin(healthy("a"))).isTrue();
        assertThat(marks.begin(suspect("s"))).isTrue();
        assertThat(extended()).containsExactly("s");
    }

    private CompletableFuture<Boolean> extend(InFlightMessage message, boolean alone) {
        return settlements.extend(message, EngineFixtures.LEASE, alone);
    }

    private static CompletableFuture<Boolean> held(InFlightMessage message, boolean alone) {
        return CompletableFuture.completedFuture(true);
    }

    private List<String> extended() {
        return store.calls("extend").stream()
                .flatMap(call -> ((List<?>) call.argument()).stream())
                .map(Extension.class::cast)
                .map(extension ->
                        extension.lease().id() + (extension.mode() == Extension.Mode.RENEW_ALONE ? " alone" : ""))
                .toList();
    }

    private static InFlightMessage healthy(String id) {
        return message(id, 3, false);
    }

    private static InFlightMessage suspect(String id) {
        return message(id, 3, true);
    }

    private static InFlightMessage message(String id, int maxAttempts, boolean suspect) {
        long now = System.nanoTime();
        return new InFlightMessage(claimed(id, maxAttempts, suspect), 0, now, now + EngineFixtures.LEASE.toNanos());
    }

    private static Claimed claimed(String id, int maxAttempts, boolean suspect) {
        ReceivedMessage message = ReceivedMessage.of(EngineFixtures.TOPIC, id)
                .maxAttempts(maxAttempts)
                .generation("g0000001")
                .build();
        return new Claimed(message, SleepyStore.NOW, SleepyStore.NOW + 1, suspect);
    }
}
