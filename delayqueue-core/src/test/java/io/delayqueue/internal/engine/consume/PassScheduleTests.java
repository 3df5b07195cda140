package io.delayqueue.internal.engine.consume;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.internal.engine.consume.PassSchedule.Pause;
import io.delayqueue.testsupport.EngineFixtures;
import io.delayqueue.testsupport.Eventually;
import io.delayqueue.testsupport.LogLines;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class PassScheduleTests {

    private static final long HOUR = TimeUnit.HOURS.toNanos(1);

    private final ScheduledExecutorService timer = EngineFixtures.timer();
    private final AtomicInteger begun = new AtomicInteger();
    private final Queue<CompletableFuture<Pause>> answers = new ConcurrentLinkedQueue<>();
    private final PassSchedule schedule = new PassSchedule(timer, () -> {
        begun.incrementAndGet();
        CompletableFuture<Pause> next = answers.poll();
        return next != null ? next : done(HOUR);
    });

    @AfterEach
    void stop() {
        schedule.stop();
        timer.shutdownNow();
    }

    @Test
    void aPassThatIsAskedForNowBeginsOnTheThreadThatAsks() {
        schedule.wakeAfter(0);

        assertThat(begun).hasValue(1);
    }

    @Test
    void aPassThatIsAskedForLaterBeginsThen() {
        long start = System.nanoTime();
        schedule.wakeAfter(TimeUnit.MILLISECONDS.toNanos(20));

        Eventually.asserted(() -> assertThat(begun).hasValue(1));
        assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(20));
    }

    @Test
    void aPassThatIsWaitedForBeginsAfterTheCall() {
        CompletableFuture<Pause> first = new CompletableFuture<>();
        CompletableFuture<Pause> second = new CompletableFuture<>();
        answers.add(first);
        answers.add(second);
        schedule.wakeAfter(0);

        CompletableFuture<Void> passed = schedule.passNow();
        CompletableFuture<Void> passedToo = schedule.passNow();
        first.complete(new Pause(HOUR, true));

        assertThat(begun).hasValue(2);
        assertThat(passed).isNotDone();
        second.complete(new Pause(HOUR, true));
        assertThat(passed).isCompleted();
        assertThat(passedToo).isCompleted();
        assertThat(begun).hasValue(2);
    }

    @Test
    void aStopEndsTheWaitForAPassOnceTheLastOneHasEnded() {
        answers.add(new CompletableFuture<>());
        CompletableFuture<Pause> running = answers.element();
        schedule.wakeAfter(0);
        CompletableFuture<Void> passed = schedule.passNow();

        schedule.stop();
        assertThat(passed).isNotDone();
        running.complete(new Pause(HOUR, true));

        assertThat(passed).isCompleted();
        assertThat(begun).hasValue(1);
        assertThat(schedule.passNow()).isCompleted();
    }

    @Test
    void aStopEndsTheWaitForAPassThatMustNotBeginYet() {
        answers.add(CompletableFuture.completedFuture(new Pause(HOUR, false)));
        schedule.wakeAfter(0);
        CompletableFuture<Void> passed = schedule.passNow();
        assertThat(passed).isNotDone();

        schedule.stop();

        assertThat(passed).isCompleted();
        assertThat(begun).hasValue(1);
    }

    @Test
    void theEarliestTimeCounts() {
        schedule.wakeAfter(HOUR);
        schedule.wakeAfter(TimeUnit.MILLISECONDS.toNanos(5));
        schedule.wakeAfter(HOUR);

        Eventually.asserted(() -> assertThat(begun).hasValue(1));
    }

    @Test
    void onePassRunsAtATimeAndARequestDuringItCountsAfterIt() {
        CompletableFuture<Pause> first = new CompletableFuture<>();
        answers.add(first);
        schedule.wakeAfter(0);
        schedule.wakeAfter(0);
        schedule.wakeAfter(0);
        assertThat(begun).hasValue(1);

        first.complete(new Pause(HOUR, true));

        assertThat(begun).hasValue(2);
    }

    @Test
    void aPauseThatCannotBeShortenedIsKept() {
        answers.add(CompletableFuture.completedFuture(new Pause(TimeUnit.MILLISECONDS.toNanos(30), false)));
        long start = System.nanoTime();
        schedule.wakeAfter(0);
        schedule.wakeAfter(0);

        Eventually.asserted(() -> assertThat(begun).hasValue(2));
        assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(30));
    }

    @Test
    void aPassThatFailsAgainstItsPromiseDoesNotEndTheLoop() {
        answers.add(CompletableFuture.failedFuture(new IllegalStateException("pretended")));
        try (LogLines log = LogLines.ofEngine()) {
            schedule.wakeAfter(0);

            Eventually.asserted(() -> assertThat(begun).hasValue(2));
            assertThat(log.with("A claim loop failed")).hasSize(1);
        }
    }

    @Test
    void manyPassesThatEndAtOnceNeedNoDeepStack() {
        for (int i = 0; i < 100_000; i++) {
            answers.add(done(0));
        }
        schedule.wakeAfter(0);

        assertThat(begun).hasValue(100_001);
    }

    @Test
    void theLongestWaitIsNotTakenForThePast() {
        schedule.wakeAfter(ServerClock.nanos(Long.MAX_VALUE));

        assertThat(begun).hasValue(0);
    }

    @Test
    void aStopEndsAtOnceBetweenPasses() {
        schedule.wakeAfter(HOUR);

        assertThat(schedule.stop()).isDone();

        schedule.wakeAfter(0);
        assertThat(begun).hasValue(0);
    }

    @Test
    void aStopDuringAPassWaitsForIt() {
        CompletableFuture<Pause> pass = new CompletableFuture<>();
        answers.add(pass);
        schedule.wakeAfter(0);
        CompletableFuture<Void> stopped = schedule.stop();
        assertThat(stopped).isNotDone();

        pass.complete(new Pause(0, true));

        assertThat(stopped).isDone();
        assertThat(begun).hasValue(1);
    }

    private static CompletableFuture<Pause> done(long nanos) {
        return CompletableFuture.completedFuture(new Pause(nanos, true));
    }
}
