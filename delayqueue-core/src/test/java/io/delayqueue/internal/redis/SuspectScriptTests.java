package io.delayqueue.internal.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import io.delayqueue.CancelOutcome;
import io.delayqueue.Delay;
import io.delayqueue.DuplicatePolicy;
import io.delayqueue.MessageInfo;
import io.delayqueue.MessageState;
import io.delayqueue.PendingMessage;
import io.delayqueue.PendingMessages;
import io.delayqueue.RescheduleOutcome;
import io.delayqueue.ScheduleOutcome;
import io.delayqueue.TopicOptions;
import io.delayqueue.internal.store.CallId;
import io.delayqueue.internal.store.ClaimAnswer;
import io.delayqueue.internal.store.ClaimAnswer.DeadLettered;
import io.delayqueue.internal.store.ClaimRequest;
import io.delayqueue.internal.store.Claimed;
import io.delayqueue.internal.store.Extension;
import io.delayqueue.internal.store.MessageStore;
import io.delayqueue.internal.store.Release;
import io.delayqueue.internal.store.Retry;
import io.delayqueue.testsupport.StoreCalls;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Suspects: messages in flight when their consumers died, one of which may be what killed them. */
class SuspectScriptTests extends ScriptTests {

    private static final Duration BRIEF = Duration.ofMillis(1);

    @Test
    void aMessageWhoseLeaseExpiredTwiceIsASuspect() {
        schedule(message("a").maxAttempts(5).priority(7));
        crash("a", 1);
        assertThat(raw.attempts()).isEqualTo(Map.of("a", "1:1"));
        assertThat(raw.scheduled(7)).containsOnlyKeys("a");

        crash("a", 2);

        assertThat(raw.attempts()).isEqualTo(Map.of("a", "2:2"));
        assertThat(raw.suspects()).containsOnlyKeys("a");
        assertThat(raw.scheduled(7)).isEmpty();
        assertThat(raw.meta().get("priorities")).contains("s");
    }

    @Test
    void aMessageWhoseNextAttemptIsItsLastIsASuspectAfterOneExpiredLease() {
        schedule(message("a").maxAttempts(2));

        crash("a", 1);

        assertThat(raw.suspects()).containsOnlyKeys("a");
    }

    @Test
    void aClaimTakesOneSuspectAtMostAndOnlyIfItMay() {
        makeSuspects("a", "b", "c");
        schedule(message("fresh"));

        ClaimAnswer without = claim();
        assertThat(ids(without)).containsExactly("fresh");
        assertThat(without.suspectWaitMicros()).isZero();
        assertThat(without.waitMicros()).as("suspects make no loop spin").isPositive();

        ClaimAnswer with = claimSuspect();
        assertThat(with.claimed()).hasSize(1);
        assertThat(with.claimed().get(0).suspect()).isTrue();
        assertThat(with.claimed().get(0).message().attempt()).isEqualTo(2);
        assertThat(with.suspectWaitMicros()).isZero();
        assertThat(raw.suspects()).hasSize(2);
    }

    @Test
    void aSuspectTakesASlotAndLeavesTheOthersToHealthyMessages() {
        makeSuspects("s");
        schedule(message("a"), message("b"), message("c"));

        ClaimAnswer answer = claim(suspectRequest(2));

        assertThat(ids(answer)).containsExactly("s", "a");
        assertThat(answer.claimed()).extracting(Claimed::suspect).containsExactly(true, false);
        assertThat(claim(suspectRequest(0)).claimed()).isEmpty();
    }

    @Test
    void suspectsThatAreNotDueAreWaitedFor() {
        makeSuspects("a");
        get(store.reschedule(PARTITION, List.of("a"), Delay.of(HOUR)));

        ClaimAnswer answer = claimSuspect();

        assertThat(answer.claimed()).isEmpty();
        assertThat(answer.suspectWaitMicros()).isBetween(Micros.of(HOUR.minusMinutes(1)), Micros.of(HOUR));
        assertThat(answer.waitMicros()).isEqualTo(-1);
    }

    @Test
    void suspectsOfAPausedTopicAreNotClaimed() {
        makeSuspects("a");
        get(store.setPaused(PARTITION, true));

        ClaimAnswer answer = claimSuspect();

        assertThat(answer.claimed()).isEmpty();
        assertThat(answer.suspectWaitMicros()).isEqualTo(-1);
        get(store.setPaused(PARTITION, false));
    }

    @Test
    void theMarkOfSuspectsGoesWithTheLastOne() {
        makeSuspects("a");
        ack(claimSuspect().claimed().get(0));
        claim();

        assertThat(raw.meta()).doesNotContainKey("priorities");
        assertThat(raw.present()).containsExactly(":meta");
    }

    @Test
    void earlyClaimsAndPrefetchGoOnBesideSuspects() {
        makeSuspects("a");
        schedule(message("soon").delay(Duration.ofSeconds(60)), message("b"), message("c"));
        var early = new ClaimRequest.Early(Duration.ofMinutes(2), 5);

        assertThat(ids(claim(StoreCalls.claimRequest(nextCall(), 1, 5, LEASE, 3, null, early))))
                .containsExactlyInAnyOrder("b", "c", "soon");
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 5})
    void aSuspectThatIsAloneDiesOfItsLastCrash(int maxAttempts) {
        schedule(message("killer").maxAttempts(maxAttempts));

        for (int attempt = 1; attempt < maxAttempts; attempt++) {
            assertThat(crash("killer", attempt).deadLettered()).isEmpty();
        }

        assertThat(crash("killer", maxAttempts).deadLettered())
                .containsExactly(new DeadLettered("killer", maxAttempts));
        assertThat(raw.attempts()).isEqualTo(Map.of("killer", Integer.toString(maxAttempts)));
    }

    @Test
    void neighboursThatFailedBeforeDoNotDieOfAnothersCrash() {
        schedule(message("a"));
        for (int attempt = 1; attempt <= 2; attempt++) {
            fail(claimOne(), attempt);
        }
        assertThat(raw.attempts()).isEqualTo(Map.of("a", "2"));

        // merely in flight
        assertThat(crash("a", 3).deadLettered()).isEmpty();

        assertThat(raw.attempts()).isEqualTo(Map.of("a", "2:2"));
        assertThat(raw.suspects()).containsOnlyKeys("a");
        assertThat(crash("a", 3).deadLettered()).containsExactly(new DeadLettered("a", 3));
    }

    @Test
    void aSuspectThatWasNotAloneRepeatsItsLastAttemptTwice() {
        makeSuspects("a");

        for (int time = 1; time <= 2; time++) {
            assertThat(crashExtended(claimSuspectBriefly()).leaseExpired()).containsExactly("a");
            assertThat(raw.attempts()).isEqualTo(Map.of("a", "1:" + (2 + time)));
        }

        assertThat(crashExtended(claimSuspectBriefly()).deadLettered()).containsExactly(new DeadLettered("a", 2));
    }

    @Test
    void aSuspectWhoseHandlerDidNotBeginRepeatsItsLastAttempt() {
        makeSuspects("a");
        claimSuspectBriefly();

        assertThat(endOfLease().leaseExpired()).containsExactly("a");
    }

    @Test
    void aFailureEndsTheSuspicion() {
        schedule(message("a").maxAttempts(5).priority(2));
        crash("a", 1);
        crash("a", 2);
        fail(claimSuspect().claimed().get(0), 3);

        assertThat(raw.attempts()).isEqualTo(Map.of("a", "3"));
        assertThat(raw.scheduled(2)).containsOnlyKeys("a");
        assertThat(raw.suspects()).isEmpty();
        assertThat(claimOne().suspect()).isFalse();
    }

    @Test
    void aReleasedSuspectIsDueAsBeforeAndStaysASuspect() {
        makeSuspects("a");
        Map<String, Long> suspects = raw.suspects();
        Claimed claimed = claimSuspect().claimed().get(0);
        assertThat(claimed.dueMicros()).isEqualTo(suspects.get("a"));
        claim();
        assertThat(raw.meta()).doesNotContainKey("priorities");

        get(store.release(PARTITION, List.of(new Release(claimed.lease(), claimed.dueMicros(), 4, true))));

        assertThat(raw.suspects()).isEqualTo(suspects);
        assertThat(raw.scheduled()).isEmpty();
        assertThat(claimSuspect().claimed()).hasSize(1);
    }

    @Test
    void aRepeatedClaimTellsWhichOneIsTheSuspect() {
        makeSuspects("s");
        schedule(message("a"), message("b"));
        CallId callId = nextCall();
        claim(suspectRequest(callId, 10));

        ClaimAnswer again = claim(suspectRequest(repeated(callId), 0));

        assertThat(again.claimed())
                .filteredOn(Claimed::suspect)
                .extracting(claimed -> claimed.message().id())
                .containsExactly("s");
        assertThat(again.claimed()).hasSize(3);
    }

    @Test
    void aSuspectIsPendingAndCanBeFoundMovedAndRevoked() {
        makeSuspects("a", "b");
        assertThat(stats().pending().ready()).isEqualTo(2);
        MessageInfo found = get(store.find(PARTITION, "a")).orElseThrow();
        assertThat(found.state()).isEqualTo(MessageState.READY);
        assertThat(found.attempt()).isEqualTo(1);

        assertThat(get(store.reschedule(PARTITION, List.of("a"), Delay.of(HOUR)))
                        .outcomes())
                .containsExactly(RescheduleOutcome.RESCHEDULED);
        assertThat(raw.suspects().get("a")).isGreaterThan(nowMicros());
        assertThat(raw.scheduled()).isEmpty();
        assertThat(stats().pending().scheduled()).isEqualTo(1);
        assertThat(stats().pending().nextDue()).isNotNull();

        assertThat(get(store.cancel(PARTITION, List.of("a", "b"))))
                .containsExactly(CancelOutcome.CANCELLED, CancelOutcome.CANCELLED);
        assertThat(raw.suspects()).isEmpty();
        assertThat(raw.attempts()).isEmpty();
    }

    @Test
    void aSuspectCountsAsADuplicateAndIsReplacedAboveSuspicion() {
        makeSuspects("a");
        assertThat(schedule(message("a").ifExists(DuplicatePolicy.REJECT)))
                .containsExactly(ScheduleOutcome.REJECTED_DUPLICATE);
        assertThat(schedule(message("a").ifExists(DuplicatePolicy.KEEP))).containsExactly(ScheduleOutcome.KEPT);

        assertThat(schedule(message("a").ifExists(DuplicatePolicy.REPLACE))).containsExactly(ScheduleOutcome.REPLACED);

        assertThat(raw.suspects()).isEmpty();
        assertThat(raw.scheduled()).containsOnlyKeys("a");
        assertThat(raw.attempts()).isEmpty();
        assertThat(claimOne().suspect()).isFalse();
    }

    @Test
    void deadSuspectsAreListedAndRedrivenAboveSuspicion() {
        schedule(message("a").maxAttempts(2).priority(8));
        crash("a", 1);
        crash("a", 2);
        assertThat(get(store.deadLetters(PARTITION, 0, 10)))
                .singleElement()
                .satisfies(letter -> assertThat(letter.attempts()).isEqualTo(2));

        get(store.redriveUntil(PARTITION, MessageStore.NOW, MessageStore.RedriveTimes.NOW));

        assertThat(raw.scheduled(8)).containsOnlyKeys("a");
        assertThat(raw.attempts()).isEmpty();
    }

    @Test
    void suspectsAreListedWithThePendingMessagesAndPurged() {
        schedule(message("a").maxAttempts(2).priority(7));
        crash("a", 1);
        schedule(message("b").delay(HOUR));

        assertThat(get(store.pending(PARTITION, PendingMessages.Position.FIRST, 10)))
                .extracting(PendingMessage::id, PendingMessage::priority)
                .containsExactly(tuple("a", 7), tuple("b", 4));
        assertThat(get(store.purgePending(PARTITION, List.of("a")))).isEqualTo(1);

        assertThat(raw.present()).containsExactlyInAnyOrder(":meta", ":messages", ":scheduled");
    }

    @Test
    void aTopicIsDeletedWithItsSuspects() {
        makeSuspects("a", "b");
        assertThat(get(store.deleteTopic(PARTITION, false))).isEqualTo(MessageStore.DeleteStep.NOT_EMPTY);

        while (get(store.deleteTopic(PARTITION, true)) == MessageStore.DeleteStep.UNFINISHED) {
            assertThat(raw.present()).isNotEmpty();
        }

        assertThat(raw.present()).isEmpty();
    }

    @Test
    void suspectsAreNoOrphans() {
        makeSuspects("a", "b");
        ClaimAnswer tidied = claim(StoreCalls.claimRequest(nextCall(), 10, LEASE, 3, HOUR));

        assertThat(tidied.unscheduled()).isZero();
        assertThat(get(store.scanOrphans(PARTITION, "0")).deadLettered()).isEmpty();
        assertThat(raw.suspects()).hasSize(2);
    }

    @Test
    void suspectsCountForTheMostPendingMessages() {
        makeSuspects("a", "b");
        try (RedisMessageStore limited = open(
                options().topicDefaults(TopicOptions.builder().maxPending(2).build()))) {
            assertThat(get(limited.schedule(PARTITION, List.of(message("c").build())))
                            .outcomes())
                    .containsExactly((ScheduleOutcome) null);
        }
    }

    @Test
    void aSuspectOfANewerVersionIsDeferred() {
        makeSuspects("a");
        redis.hset(raw.name(":messages"), "a", "2" + raw.messages().get("a").substring(1));

        ClaimAnswer answer = claimSuspect();

        assertThat(answer.deferred()).isEqualTo(1);
        assertThat(raw.suspects().get("a")).isGreaterThan(nowMicros());
        assertThat(answer.claimed()).isEmpty();
    }

    @Test
    void aSingleAttemptThatNoHandlerBeganIsNotCounted() {
        schedule(message("a").maxAttempts(1));

        assertThat(crash("a", 1).leaseExpired()).containsExactly("a");
        assertThat(raw.attempts()).isEqualTo(Map.of("a", "0:1"));
        assertThat(claimOne().message().attempt()).isEqualTo(1);
    }

    @Test
    void aSingleAttemptThatAHandlerBeganIsTheLast() {
        schedule(message("a").maxAttempts(1));
        Claimed claimed = claimOne(Duration.ofMillis(200));

        assertThat(crashExtended(claimed).deadLettered()).containsExactly(new DeadLettered("a", 1));
    }

    @Test
    void aMessageThatIsNeverBegunDoesNotComeForEver() {
        schedule(message("a").maxAttempts(1));

        for (int time = 1; time <= 10; time++) {
            assertThat(crash("a", 1).leaseExpired()).as("time %s", time).containsExactly("a");
        }

        assertThat(crash("a", 1).deadLettered()).containsExactly(new DeadLettered("a", 1));
    }

    /** Puts messages among the suspects, as after a crash in the first of two attempts. */
    private void makeSuspects(String... ids) {
        schedule(
                Arrays.stream(ids).map(id -> message(id).maxAttempts(2).build()).toList());
        claim(StoreCalls.claimRequest(nextCall(), ids.length, BRIEF, 3, null));
        await().pollInterval(Duration.ofMillis(2)).until(() -> {
            claim(request(0));
            return raw.suspects().size() == ids.length;
        });
    }

    /** Claims the message, which must be in that attempt, and lets its lease expire. */
    private ClaimAnswer crash(String id, int attempt) {
        List<Claimed> claimed = claim(StoreCalls.claimRequest(
                        nextCall(), 1, 0, BRIEF, 3, null, ClaimRequest.Early.NOTHING, true, MessageStore.LARGEST_BYTES))
                .claimed();
        assertThat(claimed)
                .extracting(each -> each.message().id(), each -> each.message().attempt())
                .containsExactly(tuple(id, attempt));
        if (claimed.get(0).suspect() && claimed.get(0).message().maxAttempts() > 1) {
            extend(claimed.get(0), true);
        }
        return endOfLease();
    }

    private ClaimAnswer crashExtended(Claimed claimed) {
        extend(claimed, false);
        return endOfLease();
    }

    private void extend(Claimed claimed, boolean alone) {
        Extension extension = new Extension(claimed.lease(), BRIEF, alone);
        assertThat(get(store.extend(PARTITION, nextCall(), List.of(extension)))).doesNotContain(-1L);
    }

    private ClaimAnswer endOfLease() {
        return await().pollInterval(Duration.ofMillis(2))
                .until(
                        () -> claim(request(0)),
                        answer -> !answer.leaseExpired().isEmpty()
                                || !answer.deadLettered().isEmpty());
    }

    private void fail(Claimed claimed, int attempt) {
        Retry retry = new Retry(claimed.lease(), attempt, NOW, claimed.message().priority(), "failed");
        assertThat(get(store.retry(PARTITION, nextCall(), List.of(retry)))).containsExactly(true);
    }

    private void ack(Claimed claimed) {
        assertThat(get(store.ack(PARTITION, nextCall(), List.of(claimed.lease()))))
                .containsExactly(true);
    }

    private ClaimAnswer claimSuspect() {
        return claim(suspectRequest(10));
    }

    private Claimed claimSuspectBriefly() {
        ClaimAnswer answer = claim(StoreCalls.claimRequest(
                nextCall(),
                1,
                0,
                Duration.ofMillis(200),
                3,
                null,
                ClaimRequest.Early.NOTHING,
                true,
                MessageStore.LARGEST_BYTES));
        assertThat(answer.claimed()).hasSize(1);
        return answer.claimed().get(0);
    }

    private ClaimRequest suspectRequest(int slots) {
        return suspectRequest(nextCall(), slots);
    }

    private static ClaimRequest suspectRequest(CallId callId, int slots) {
        return StoreCalls.claimRequest(
                callId, slots, 0, LEASE, 3, null, ClaimRequest.Early.NOTHING, true, MessageStore.LARGEST_BYTES);
    }
}
