package io.delayqueue.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.ConsumerOptions;
import io.delayqueue.RedisUnavailableException;
import io.delayqueue.UnexpectedReplyException;
import io.delayqueue.internal.store.CallId;
import io.delayqueue.internal.store.ClaimAnswer;
import io.delayqueue.internal.store.Claimed;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The loop on its thread. The guard is an hour: what it does within a test, it does for another reason. */
class ClaimLoopRunTests {

    private final SleepyStore store = new SleepyStore();
    private final ScheduledExecutorService timer = Fixtures.timer();
    private final AtomicInteger free = new AtomicInteger(10);
    private final AtomicInteger accepted = new AtomicInteger();
    private final ClaimLoop loop = new ClaimLoop(
            Fixtures.context(store, ConsumerOptions.defaults(), timer), Fixtures.PARTITION, "me", new Taker());
    private final Thread thread = new Thread(loop, "test-claim");
    private volatile long askedAt;
    private final LogLines log = LogLines.of("io.delayqueue");

    @AfterEach
    void stopLoop() throws Exception {
        loop.stop();
        thread.interrupt();
        thread.join(TimeUnit.SECONDS.toMillis(30));
        assertThat(thread.isAlive()).isFalse();
        timer.shutdownNow();
        log.close();
    }

    @Test
    void sleepsUntilFiveMillisecondsBeforeTheNextMessageIsDueAndNoLonger() {
        store.claimAnswers.add(SleepyStore.waiting(TimeUnit.MILLISECONDS.toMicros(60)));
        long start = System.nanoTime();
        thread.start();

        Eventually.asserted(() -> assertThat(claims()).isEqualTo(2));
        assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(55));
    }

    @Test
    void wakeUpForAnEarlierMessageEndsTheSleep() {
        startAndSleep();
        loop.wakeUp(TimeUnit.MILLISECONDS.toMicros(1));

        Eventually.asserted(() -> assertThat(claims()).isEqualTo(2));
    }

    @Test
    void freedPlaceEndsTheSleepOfALoopThatWasStarved() {
        free.set(0);
        thread.start();
        Eventually.isAsleep(thread);
        assertThat(claims()).isZero();

        free.set(1);
        loop.placeFreed(new Places.Vacancy(1, 10));

        Eventually.asserted(() -> assertThat(claims()).isEqualTo(1));
    }

    @Test
    void freedPlaceDoesNotWakeALoopThatWasNotStarved() {
        startAndSleep();
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(200);
        Eventually.asserted(() -> {
            loop.placeFreed(new Places.Vacancy(10, 10));
            assertThat(System.nanoTime()).isGreaterThan(end);
        });

        assertThat(claims()).isEqualTo(1);
    }

    @Test
    void resumedLoopClaimsAtOnce() {
        loop.pause(true);
        thread.start();
        Eventually.isAsleep(thread);
        assertThat(claims()).isZero();

        loop.pause(false);

        Eventually.asserted(() -> assertThat(claims()).isEqualTo(1));
    }

    @Test
    void stopEndsTheSleepAndTheLoop() throws Exception {
        startAndSleep();
        loop.stop();

        thread.join(TimeUnit.SECONDS.toMillis(30));
        assertThat(thread.isAlive()).isFalse();
    }

    @Test
    void passThatBeganBeforeAStopDoesNotSleep() throws Exception {
        free.set(0);
        loop.stop();

        assertThat(loop.runOnce())
                .as("its ring is cleared, and nobody will ring again")
                .isZero();
    }

    static Stream<SleepyStore.Mood> troubles() {
        return Stream.of(
                SleepyStore.Mood.failing(new RedisUnavailableException("away", null, null, null)),
                SleepyStore.Mood.failing(new UnexpectedReplyException("nonsense", null, null, null)),
                SleepyStore.Mood.failing(new IllegalStateException("bug")),
                SleepyStore.Mood.failing(new OutOfMemoryError("pretended")),
                SleepyStore.Mood.throwing(new IllegalStateException("against the contract")));
    }

    @ParameterizedTest
    @MethodSource("troubles")
    void troubleNeitherEndsTheLoopNorMakesItSpin(SleepyStore.Mood trouble) {
        store.be(trouble);
        thread.start();
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(1);
        Eventually.asserted(() -> {
            loop.wakeUp(0);
            assertThat(System.nanoTime()).isGreaterThan(end);
        });
        assertThat(claims()).as("claims in a second of trouble").isBetween(2, 25);
        assertThat(loop.isHealthy()).isFalse();
        assertThat(log.lines()).as("one line of warning").hasSize(1);

        store.wakeUp();

        Eventually.asserted(() -> assertThat(loop.isHealthy()).isTrue());
        assertThat(store.turns("claim").get(1)).isEqualTo(new CallId("me", 1, true));
    }

    @Test
    void answerThatNeverComesIsWaitedForWithoutSpinning() {
        store.be(SleepyStore.Mood.SILENT);
        thread.start();
        Eventually.asserted(() -> assertThat(claims()).isEqualTo(1));
        for (int i = 0; i < 100; i++) {
            loop.wakeUp(0);
        }
        Eventually.isAsleep(thread);

        assertThat(claims()).isEqualTo(1);
        assertThat(thread.isAlive()).isTrue();
    }

    @Test
    void fullHouseWaitsAMomentForMorePlacesThanTheFirst() {
        fillTheHouse();
        free.set(1);
        long freed = System.nanoTime();
        loop.placeFreed(new Places.Vacancy(1, 10));

        Eventually.asserted(() -> assertThat(claims()).isEqualTo(2));
        assertThat(askedAt - freed).isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(1));
    }

    @Test
    void emptyHouseIsFilledAgain() {
        fillTheHouse();
        free.set(10);
        loop.placeFreed(new Places.Vacancy(10, 10));

        Eventually.asserted(() -> assertThat(claims()).isEqualTo(2));
        assertThat(store.calls("claim").get(1).argument()).extracting("slots").isEqualTo(10);
    }

    private void fillTheHouse() {
        free.set(2);
        store.claimAnswers.add(SleepyStore.more(Fixtures.claimed("a"), Fixtures.claimed("b")));
        thread.start();
        Eventually.asserted(() -> assertThat(accepted).hasValue(2));
        Eventually.isAsleep(thread);
        assertThat(claims()).as("full").isEqualTo(1);
    }

    private void startAndSleep() {
        thread.start();
        Eventually.asserted(() -> assertThat(claims()).isEqualTo(1));
        Eventually.isAsleep(thread);
    }

    private int claims() {
        return store.calls("claim").size();
    }

    private final class Taker implements ClaimLoop.Sink {
        @Override
        public Places.Vacancy vacancy() {
            askedAt = System.nanoTime();
            return new Places.Vacancy(free.get(), 10);
        }

        @Override
        public boolean isShared() {
            return false;
        }

        @Override
        public Places.Room reserve(int most) {
            return new Places.Room(Math.min(most, vacancy().room()), 0, 0);
        }

        @Override
        public void unreserve(Places.Room room) {}

        @Override
        public void answered(ClaimAnswer answer) {}

        @Override
        public void accept(Claimed claimed, long dueNanos, long leaseEndsNanos) {
            accepted.incrementAndGet();
            free.decrementAndGet();
        }
    }
}
