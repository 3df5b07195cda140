package io.delayqueue.internal.engine.consume;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;
import static org.assertj.core.api.Assertions.within;

import io.delayqueue.ConsumerOptions;
import io.delayqueue.RedisAccessDeniedException;
import io.delayqueue.internal.store.CallId;
import io.delayqueue.internal.store.ClaimRequest;
import io.delayqueue.internal.store.Claimed;
import io.delayqueue.internal.store.MessageStore;
import io.delayqueue.testsupport.ClaimAnswers;
import io.delayqueue.testsupport.EngineFixtures;
import io.delayqueue.testsupport.Eventually;
import io.delayqueue.testsupport.Gate;
import io.delayqueue.testsupport.Mood;
import io.delayqueue.testsupport.SleepyStore;
import io.delayqueue.testsupport.StoreCalls;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The requests of single passes of the loop. */
class ClaimLoopRequestsTests extends SinglePasses {

    @Test
    void asksForAsManyMessagesAsThereAreFreeSlots() throws Exception {
        target.free = 7;
        runOnce();

        assertThat(requests()).extracting(ClaimRequest::slots).containsExactly(7);
    }

    @Test
    void asksForPrefetchedMessages() throws Exception {
        target.free = 7;
        target.prefetch = 5;
        runOnce();

        assertThat(requests())
                .extracting(ClaimRequest::slots, ClaimRequest::prefetch)
                .containsExactly(tuple(7, 5));
    }

    @Test
    void endsTheReservationHoweverTheClaimEnds() throws Exception {
        runOnce();
        store.fallAsleep();
        assertThatThrownBy(this::runOnce).isInstanceOf(CompletionException.class);

        assertThat(target.reserved).isZero();
    }

    @Test
    void asksForNoMoreThanALargestBatch() throws Exception {
        target.free = 5000;
        runOnce();

        assertThat(requests()).extracting(ClaimRequest::slots).containsExactly(MessageStore.LARGEST_BATCH);
    }

    @Test
    void asksForEarlyMessagesAsFarAsTheyMayWait() throws Exception {
        target.early = 8;
        runOnce();
        target.early = 0;
        runOnce();

        assertThat(requests())
                .extracting(ClaimRequest::early)
                .containsExactly(
                        new ClaimRequest.Early(Duration.ofMillis(25), 8),
                        new ClaimRequest.Early(Duration.ofMillis(25), 0));
    }

    @Test
    void asksForTheTimeAfterAClaimOfSeveralEarlyMessages() {
        target.early = 5;
        store.claimAnswers.add(ClaimAnswers.waiting(4_000, EngineFixtures.claimed("due"), early("a"), early("b")));
        runOnce();
        assertThat(store.calls("time")).hasSize(1);

        store.claimAnswers.add(ClaimAnswers.waiting(4_000, EngineFixtures.claimed("due"), early("c")));
        runOnce();
        assertThat(store.calls("time")).as("one early message").hasSize(1);
    }

    @Test
    void theClockTakesTheTimeThatWasAskedFor() {
        target.early = 5;
        store.time = SleepyStore.NOW + TimeUnit.HOURS.toMicros(1);
        store.claimAnswers.add(ClaimAnswers.waiting(4_000, early("a"), early("b")));
        runOnce();

        assertThat(loop.clock().nanosOf(store.time)).isCloseTo(System.nanoTime(), within(TimeUnit.MINUTES.toNanos(10)));
    }

    @Test
    void aTimeThatIsRefusedDoesNoHarm() {
        target.early = 5;
        store.be("time", Mood.failing(new RedisAccessDeniedException("no evalsha", null, null, null)));
        store.claimAnswers.add(ClaimAnswers.waiting(4_000, early("a"), early("b")));

        runOnce();

        assertThat(target.accepted).hasSize(2);
    }

    private static Claimed early(String id) {
        return StoreCalls.claimed(EngineFixtures.claimed(id).message(), SleepyStore.NOW + 7000, SleepyStore.NOW + 1);
    }

    @Test
    void numbersItsClaims() throws Exception {
        runOnce();
        runOnce();

        assertThat(store.callIds("claim")).containsExactly(new CallId("me", 1, false), new CallId("me", 2, false));
    }

    @Test
    void namesTheTimeUntilWhichAClaimEndsLeases() throws Exception {
        runOnce();
        runOnce();

        long quarter = TimeUnit.NANOSECONDS.toMicros(EngineFixtures.LEASE.toNanos() / 4);
        assertThat(requests().get(0).endsLeasesUntilMicros())
                .as("the store's clock is not known yet")
                .isZero();
        assertThat(requests().get(1).endsLeasesUntilMicros())
                .isBetween(SleepyStore.NOW + quarter, SleepyStore.NOW + 2 * quarter);
    }

    @Test
    void endsLeasesLaterIfTheClaimBeforeWasHeldUp() {
        Duration lease = Duration.ofSeconds(8);
        ClaimLoop ofShortLeases = new ClaimLoop(
                EngineFixtures.context(
                        store, ConsumerOptions.builder().lease(lease).build(), timer, new Told()),
                EngineFixtures.PARTITION,
                "me",
                target,
                new SuspectPermit(timer));
        long first = System.nanoTime();
        ofShortLeases.runOnce().join();
        Gate gate = new Gate();
        store.be(gate);
        long begun = System.nanoTime();
        CompletableFuture<Long> slow = ofShortLeases.runOnce();
        Duration heldUp = Duration.ofMillis(2_100);
        Eventually.asserted(() -> assertThat(System.nanoTime() - begun).isGreaterThan(heldUp.toNanos()));
        store.wakeUp();
        gate.open();
        slow.join();
        ofShortLeases.runOnce().join();
        ofShortLeases.runOnce().join();
        Duration passed = Duration.ofNanos(System.nanoTime() - first);

        Duration quarter = lease.dividedBy(4);
        assertThat(endsLeasesFor(2))
                .as("right after one that took so long")
                .isBetween(quarter.plus(heldUp.multipliedBy(2)), quarter.plus(passed.multipliedBy(3)));
        assertThat(endsLeasesFor(3)).as("after a quick one").isLessThanOrEqualTo(quarter.plus(passed));
    }

    /** By the store's clock, which stands still. */
    private Duration endsLeasesFor(int claim) {
        return Duration.of(requests().get(claim).endsLeasesUntilMicros() - SleepyStore.NOW, ChronoUnit.MICROS);
    }

    @Test
    void repeatsTheSameClaimUntilItIsAnswered() throws Exception {
        store.fallAsleep();
        assertThatThrownBy(this::runOnce).isInstanceOf(CompletionException.class);
        assertThatThrownBy(this::runOnce).isInstanceOf(CompletionException.class);
        store.wakeUp();
        runOnce();
        runOnce();

        assertThat(store.callIds("claim"))
                .containsExactly(
                        new CallId("me", 1, false),
                        new CallId("me", 1, true),
                        new CallId("me", 1, true),
                        new CallId("me", 2, false));
    }

    @Test
    void asksForOldDeadLettersNowAndThenOnly() throws Exception {
        runOnce();
        runOnce();

        assertThat(requests()).extracting(ClaimRequest::retention).containsExactly(Duration.ofDays(14), null);
        assertThat(store.calls("purgeByRetention")).isEmpty();
    }

    @Test
    void theLastClaimIsRepeatedAtTheStopOnlyIfItsAnswerIsMissing() {
        runOnce();
        assertThat(loop.stop()).isDone();
        assertThat(store.calls("claim")).hasSize(1);

        ClaimLoop unanswered = loop();
        store.fallAsleep();
        assertThatThrownBy(() -> unanswered.runOnce().join()).isInstanceOf(CompletionException.class);
        store.wakeUp();
        store.claimAnswers.add(ClaimAnswers.waiting(-1, EngineFixtures.claimed("leased")));
        assertThat(unanswered.stop()).isDone();
        assertThat(store.callIds("claim")).hasSize(3).last().isEqualTo(new CallId("me", 1, true));
        assertThat(target.accepted)
                .as("nothing is left to its lease")
                .extracting(message -> message.message().id())
                .containsExactly("leased");
    }

    private List<ClaimRequest> requests() {
        return store.calls("claim").stream()
                .map(call -> (ClaimRequest) call.argument())
                .toList();
    }
}
