package io.delayqueue.internal.engine.settle;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.ReceivedMessage;
import io.delayqueue.internal.store.Claimed;
import io.delayqueue.internal.store.Extension;
import io.delayqueue.testsupport.EngineFixtures;
import io.delayqueue.testsupport.Eventually;
import io.delayqueue.testsupport.SleepyStore;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
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
    private final BeginMarks.Marks marks = all.of(settlements, EngineFixtures.LEASE, TIMEOUT);

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
        store.be(SleepyStore.Mood.SILENT);

        assertThat(all.of(settlements, EngineFixtures.LEASE, Duration.ofMillis(50))
                        .begin(message("a", 1, false)))
                .isFalse();
    }

    @Test
    void aSuspectThatIsAloneIsMarkedSo() {
        InFlightMessage before = healthy("before");
        marks.begin(before);
        marks.end(before);

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
        BeginMarks.Marks otherTopic = all.of(settlements, EngineFixtures.LEASE, TIMEOUT);
        marks.begin(suspect("s"));

        IntStream.range(0, 50)
                .forEach(i -> assertThat(otherTopic.begin(healthy("m" + i))).isTrue());

        assertThat(extended()).containsExactly("s alone", "s");
    }

    @Test
    void nothingIsMarkedAfterTheSuspectWasSettled() {
        InFlightMessage suspect = suspect("s");
        marks.begin(suspect);
        marks.end(suspect);

        marks.begin(healthy("a"));

        assertThat(extended()).containsExactly("s alone");
    }

    @Test
    void healthyMessagesDoNotWaitForASuspectWhoseServerIsSilent() {
        marks.begin(suspect("s"));
        store.be(SleepyStore.Mood.SILENT);
        long start = System.nanoTime();

        IntStream.range(0, 50)
                .forEach(i -> assertThat(marks.begin(healthy("m" + i))).isTrue());

        assertThat(System.nanoTime() - start).isLessThan(TimeUnit.SECONDS.toNanos(10));
    }

    /** One suspect after the other on a silent server: each stops the other handlers for a moment only. */
    @Test
    void suspectsOnASilentServerStopOtherHandlersForAMomentOnly() {
        BeginMarks.Marks impatient = all.of(settlements, EngineFixtures.LEASE, Duration.ofMillis(10));
        store.be(SleepyStore.Mood.SILENT);
        long start = System.nanoTime();

        for (int i = 0; i < 12; i++) {
            InFlightMessage suspect = suspect("s" + i);
            InFlightMessage healthy = healthy("m" + i);
            assertThat(impatient.begin(suspect)).isFalse();
            assertThat(marks.begin(healthy)).isTrue();
            marks.end(suspect);
            marks.end(healthy);
        }

        assertThat(System.nanoTime() - start).isLessThan(TimeUnit.SECONDS.toNanos(8));
    }

    @Test
    void aMessageThatWasSettledBeforeItBeganDoesNotCount() {
        InFlightMessage stopped = healthy("stopped");
        marks.end(stopped);
        marks.begin(stopped);

        marks.begin(suspect("s"));

        assertThat(extended()).containsExactly("s alone");
    }

    /** Both begin at once, many times: whoever is first, Redis knows in the end that the suspect is not alone. */
    @Test
    void aSuspectIsNeverMarkedAsAloneAfterAnotherBeganBesideIt() throws Exception {
        ExecutorService handlers = Executors.newFixedThreadPool(2);
        CyclicBarrier start = new CyclicBarrier(2);
        for (int i = 0; i < 3_000; i++) {
            InFlightMessage suspect = suspect("s");
            InFlightMessage healthy = healthy("a");
            Future<Boolean> other = handlers.submit(() -> {
                start.await();
                return marks.begin(healthy);
            });
            handlers.submit(() -> {
                        start.await();
                        return marks.begin(suspect);
                    })
                    .get(20, TimeUnit.SECONDS);
            other.get(20, TimeUnit.SECONDS);

            Eventually.asserted(() -> assertThat(extended()).last().isEqualTo("s"));
            marks.end(suspect);
            marks.end(healthy);
            store.calls.clear();
        }
        handlers.shutdownNow();
    }

    @Test
    void aSuspectThatWasSettledBeforeItBeganIsNotBegunAndKeepsNobodyWaiting() {
        InFlightMessage stopped = suspect("stopped");
        stopped.decide();
        marks.end(stopped);

        assertThat(marks.begin(stopped)).isFalse();

        assertThat(marks.begin(healthy("a"))).isTrue();
        assertThat(marks.begin(suspect("s"))).isTrue();
        assertThat(extended()).containsExactly("s");
    }

    private List<String> extended() {
        return store.calls("extend").stream()
                .flatMap(call -> ((List<?>) call.argument()).stream())
                .map(Extension.class::cast)
                .map(extension -> extension.lease().id() + (extension.alone() ? " alone" : ""))
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
        ReceivedMessage message =
                new ReceivedMessage(EngineFixtures.TOPIC, id, new byte[0], Map.of(), 1, maxAttempts, Instant.EPOCH, 4);
        Claimed claimed = new Claimed(message, SleepyStore.NOW, SleepyStore.NOW + 1, suspect);
        return new InFlightMessage(claimed, 0, now, now + EngineFixtures.LEASE.toNanos());
    }
}
