package io.delayqueue.internal.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.ReceivedMessage;
import io.delayqueue.internal.store.ClaimAnswer;
import io.delayqueue.internal.store.ClaimRequest;
import io.delayqueue.internal.store.Claimed;
import io.delayqueue.testsupport.StoreCalls;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ClaimScriptTests extends ScriptTests {

    @Test
    void aClaimThatWasHeldUpEndsNoLeaseAndTheNextOneDoes() {
        for (int i = 0; i < 100; i++) {
            schedule(message("leased " + i));
        }
        long receipt = claim(StoreCalls.claimRequest(nextCall(), 100, Duration.ofMillis(1), 3, null))
                .claimed()
                .get(0)
                .receipt();
        schedule(message("due"));
        Awaitility.await().until(() -> nowMicros() > receipt);

        ClaimAnswer heldUp = claim(endingLeasesUntil(nowMicros() - 1));
        assertThat(heldUp.leaseExpired()).isEmpty();
        assertThat(ids(heldUp)).containsExactly("due");
        assertThat(heldUp.waitMicros()).as("the leases are over").isZero();

        assertThat(claim(endingLeasesUntil(nowMicros() + 60_000_000)).leaseExpired())
                .isNotEmpty();
        assertThat(claim(endingLeasesUntil(0)).leaseExpired()).isNotEmpty();
    }

    private ClaimRequest endingLeasesUntil(long micros) {
        return new ClaimRequest(nextCall(), 200, 0, LEASE, 3, null, StoreCalls.NOT_EARLY, false, 4_000_000, micros);
    }

    @Test
    void nothingIsThere() {
        ClaimAnswer answer = claim();

        assertThat(answer.claimed()).isEmpty();
        assertThat(answer.waitMicros()).isEqualTo(-1);
        assertThat(answer.paused()).isFalse();
        assertThat(answer.timeMicros()).isLessThanOrEqualTo(nowMicros());
        assertThat(raw.present()).isEmpty();
    }

    @Test
    void aMessageThatIsNotDueStaysAndItsDueTimeIsReturned() {
        schedule(message("a").delay(HOUR), message("b").delay(HOUR.dividedBy(2)).priority(2));
        Map<String, Object> before = raw.everything();
        ClaimAnswer answer = claim();

        assertThat(answer.claimed()).isEmpty();
        assertThat(answer.waitMicros()).isBetween(1L, Micros.of(HOUR) / 2);
        assertThat(answer.timeMicros() + answer.waitMicros())
                .isEqualTo(raw.scheduled(2).get("b"));
        assertThat(raw.everything()).isEqualTo(before);
    }

    @Test
    void aDueMessageIsLeasedWithEverythingItHas() {
        schedule(message("a").priority(7).maxAttempts(9).header("kind", "new"));
        long due = raw.scheduled(7).get("a");
        ClaimAnswer answer = claim();

        Claimed claimed = answer.claimed().get(0);
        ReceivedMessage message = claimed.message();
        assertThat(message.topic()).isEqualTo(TOPIC);
        assertThat(message.id()).isEqualTo("a");
        assertThat(message.payload()).asString().isEqualTo("body of a");
        assertThat(message.headers()).isEqualTo(Map.of("kind", "new"));
        assertThat(message.attempt()).isEqualTo(1);
        assertThat(message.maxAttempts()).isEqualTo(9);
        assertThat(message.priority()).isEqualTo(7);
        assertThat(message.due()).isEqualTo(Micros.instant(due));
        assertThat(claimed.dueMicros()).isEqualTo(due);
        // rounded up to the kind of leases that a claim makes, see lease_kinds.lua
        assertThat(claimed.receipt() - answer.timeMicros()).isBetween(Micros.of(LEASE), Micros.of(LEASE) + 3);
        assertThat(answer.waitMicros()).isEqualTo(claimed.receipt() - answer.timeMicros());
        assertThat(raw.present()).containsExactlyInAnyOrder(":leased", ":messages", ":meta");
        assertThat(raw.leased()).isEqualTo(Map.of("a", claimed.receipt()));
        assertThat(raw.counters()).isEqualTo(Map.of("accepted", "1"));
    }

    @Test
    void aMessageThatNamesNoAttemptsHasThoseOfTheRequest() {
        schedule(message("a"));

        assertThat(claimOne().message().maxAttempts()).isEqualTo(3);
    }

    @Test
    void earliestComesFirstAndHighestPriorityBeforeThat() {
        Instant past = Instant.ofEpochSecond(1_000_000);
        List<String> expected = new ArrayList<>();
        for (int priority = 9; priority >= 0; priority--) {
            for (int second = 0; second < 3; second++) {
                schedule(message(priority + "." + second).priority(priority).dueAt(past.plusSeconds(second)));
                expected.add(priority + "." + second);
            }
        }

        assertThat(ids(claim(request(4)))).isEqualTo(expected.subList(0, 4));
        assertThat(ids(claim(request(100)))).isEqualTo(expected.subList(4, 30));
    }

    @Test
    void prioritiesOutOfUseAreForgotten() {
        schedule(
                message("a").priority(9),
                message("b").priority(0),
                message("c").priority(5).delay(HOUR));
        assertThat(claim().claimed()).hasSize(2);
        assertThat(raw.meta().get("priorities")).contains("9", "5", "0");

        claim();
        assertThat(raw.meta()).containsEntry("priorities", "5");
        get(store.cancel(PARTITION, List.of("c")));
        claim();
        assertThat(raw.meta()).doesNotContainKey("priorities");
    }

    @Test
    void noMoreThanAskedForIsLeasedAndAFullBatchSaysToAskAgain() {
        schedule(IntStream.range(0, 5).mapToObj(i -> message("m" + i).build()).toList());

        ClaimAnswer two = claim(request(2));
        assertThat(two.claimed()).hasSize(2);
        assertThat(two.waitMicros()).isZero();
        assertThat(raw.leased()).hasSize(2);
        ClaimAnswer three = claim(request(512));
        assertThat(three.claimed()).hasSize(3);
        assertThat(three.waitMicros()).isPositive();
    }

    @Test
    void aPausedTopicGivesNothingAndIsResumed() {
        schedule(message("a"));
        get(store.setPaused(PARTITION, true));
        ClaimAnswer paused = claim();
        assertThat(paused.paused()).isTrue();
        assertThat(paused.claimed()).isEmpty();
        assertThat(paused.waitMicros()).isEqualTo(-1);
        assertThat(stats().paused()).isTrue();

        get(store.setPaused(PARTITION, false));
        assertThat(ids(claim())).containsExactly("a");
        assertThat(stats().paused()).isFalse();
    }

    @Test
    void aPausedTopicTakesExpiredLeasesBack() {
        schedule(message("a"));
        claimOne(Duration.ofMillis(1));
        get(store.setPaused(PARTITION, true));

        claimUntil(answer -> answer.leaseExpired().contains("a"));
        assertThat(claim().claimed()).isEmpty();
    }

    @Test
    void aMessagePastItsTimeToLiveIsDroppedAndReported() {
        Instant past = Instant.now().minusSeconds(60);
        schedule(
                message("gone").dueAt(past).timeToLive(Duration.ofSeconds(1)),
                message("kept").dueAt(past).timeToLive(HOUR),
                message("gone, too")
                        .dueAt(past)
                        .timeToLive(Duration.ofSeconds(1))
                        .priority(8));
        ClaimAnswer answer = claim();

        assertThat(ids(answer)).containsExactly("kept");
        assertThat(answer.expired()).containsExactly("gone, too", "gone");
        assertThat(raw.messages()).containsOnlyKeys("kept");
        assertThat(raw.counters()).isEqualTo(Map.of("accepted", "3", "expired", "2"));
    }

    @Test
    void timeToLiveOfARetriedMessageCountsFromItsNewDueTimeAndItsAttemptsGoWithIt() {
        // not over before the claim, however busy the machine is
        Duration timeToLive = Duration.ofMillis(500);
        schedule(message("a").timeToLive(timeToLive));
        claimOne(Duration.ofMillis(1));
        claimUntil(answer -> answer.leaseExpired().contains("a"));
        assertThat(raw.attempts()).containsEntry("a", "1:1");

        get(store.setPaused(PARTITION, true));
        long due = raw.scheduled().get("a");
        Awaitility.await().until(() -> nowMicros() > due + Micros.of(timeToLive));
        get(store.setPaused(PARTITION, false));
        assertThat(claim().expired()).containsExactly("a");
        assertThat(raw.present()).containsExactly(":meta");
    }

    @Test
    void aMessageThatAnotherProgramDeletedIsCountedAndCleanedUp() {
        schedule(message("a"), message("b"), message("c"));
        redis.hdel(raw.name(":messages"), "b");
        redis.hset(raw.name(":attempts"), "b", "1");
        ClaimAnswer answer = claim();

        assertThat(ids(answer)).containsExactly("a", "c");
        assertThat(answer.orphans()).isEqualTo(1);
        assertThat(raw.counters()).isEqualTo(Map.of("accepted", "3", "orphaned", "1", "purged", "1"));
        assertThat(raw.present()).containsExactlyInAnyOrder(":messages", ":leased", ":meta");
    }

    @Test
    void deadLettersOlderThanTheRetentionAreCountedAndTheRetentionIsRecorded() {
        assertThat(claim(withRetention(HOUR)).deadPastRetention()).isZero();
        assertThat(raw.present()).as("of a topic never used").isEmpty();
        bury(message("a"));
        bury(message("b").priority(2));
        assertThat(claim(withRetention(HOUR)).deadPastRetention()).isZero();
        assertThat(raw.meta()).containsEntry("retention", String.valueOf(Micros.of(HOUR)));
        assertThat(claim(withRetention(null)).deadPastRetention()).isZero();

        Awaitility.await()
                .until(() -> claim(withRetention(Duration.ofMillis(5))).deadPastRetention() == 2);
        assertThat(raw.dead()).as("purging is another call").hasSize(2);
        assertThat(raw.meta()).containsEntry("retention", "5000");
    }

    private ClaimRequest withRetention(@Nullable Duration kept) {
        return StoreCalls.claimRequest(nextCall(), 10, LEASE, 3, kept);
    }
}
