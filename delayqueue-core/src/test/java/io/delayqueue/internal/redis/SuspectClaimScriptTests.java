package io.delayqueue.internal.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

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
import io.delayqueue.internal.store.ClaimRequest;
import io.delayqueue.internal.store.Claimed;
import io.delayqueue.internal.store.DeadLetterStore;
import io.delayqueue.internal.store.MessageStore;
import io.delayqueue.testsupport.StoreCalls;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Suspects are pending messages, which a claim takes one at a time. */
class SuspectClaimScriptTests extends SuspectTests {

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
        assertThat(get(store.deadLetters().list(PARTITION, 0, 10)))
                .singleElement()
                .satisfies(letter -> assertThat(letter.attempts()).isEqualTo(2));

        get(store.deadLetters().redriveUntil(PARTITION, DeadLetterStore.NOW, DeadLetterStore.RedriveTimes.NOW));

        assertThat(raw.scheduled(8)).containsOnlyKeys("a");
        assertThat(raw.attempts()).isEmpty();
    }

    @Test
    void suspectsAreListedWithThePendingMessagesAndPurged() {
        schedule(message("a").maxAttempts(2).priority(7));
        crash("a", 1);
        schedule(message("b").delay(HOUR));

        assertThat(get(store.pendingMessages().list(PARTITION, PendingMessages.Position.FIRST, 10)))
                .extracting(PendingMessage::id, PendingMessage::priority)
                .containsExactly(tuple("a", 7), tuple("b", 4));
        assertThat(get(store.pendingMessages().purge(PARTITION, List.of("a")))).hasSize(1);

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
}
