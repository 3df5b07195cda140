package io.delayqueue.internal.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.CancelOutcome;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.internal.store.CallId;
import io.delayqueue.internal.store.ClaimAnswer;
import io.delayqueue.internal.store.ClaimRequest;
import io.delayqueue.internal.store.ClaimRequest.Early;
import io.delayqueue.internal.store.Claimed;
import io.delayqueue.internal.store.Release;
import io.delayqueue.testsupport.StoreCalls;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Script {@code claim}, when it claims messages before they are due. */
class EarlyClaimTests extends ScriptTests {

    private static final Early HALF_AN_HOUR = new Early(Duration.ofMinutes(30), 10);

    @Test
    void aMessageDueSoonIsLeasedWithItsDueTime() {
        schedule(in("soon", 20), in("due", 0), in("later", 40));
        long soon = raw.scheduled().get("soon");

        ClaimAnswer answer = claim(HALF_AN_HOUR);

        assertThat(ids(answer)).containsExactly("due", "soon");
        assertThat(answer.claimed().get(1).dueMicros()).isEqualTo(soon);
        assertThat(answer.waitMicros()).as("until the first that was not taken").isBetween(micros(39), micros(40));
        assertThat(raw.leased()).containsOnlyKeys("due", "soon");
    }

    @Test
    void allDueMessagesAreClaimedAndAsManyEarlyOnesAsAskedFor() {
        schedule(in("a", 1), in("b", 2), in("c", 3), in("due", 0), in("due, too", 0));

        ClaimAnswer answer = claim(new Early(Duration.ofMinutes(30), 2));

        assertThat(ids(answer)).containsExactly("due", "due, too", "a", "b");
        assertThat(answer.waitMicros()).isBetween(micros(2), micros(3));
        assertThat(raw.scheduled()).containsOnlyKeys("c");
    }

    @Test
    void earlyMessagesCountTowardsTheSlots() {
        schedule(in("a", 1), in("due", 0), in("b", 2));

        ClaimRequest two = StoreCalls.claimRequest(nextCall(), 2, 0, LEASE, 3, null, HALF_AN_HOUR);

        assertThat(ids(claim(two))).containsExactly("due", "a");
    }

    @Test
    void prefetchIsFilledWithDueAndEarlyMessages() {
        schedule(in("a", 1), in("due", 0), in("b", 2), in("c", 3));

        assertThat(ids(claim(twoAndTwo(new Early(Duration.ofMinutes(30), 10))))).containsExactly("due", "a", "b", "c");

        schedule(in("due, one", 0), in("due, two", 0), in("due, three", 0), in("due, four", 0), in("due, five", 0));
        ClaimAnswer answer = claim(twoAndTwo(StoreCalls.NOT_EARLY));

        assertThat(answer.claimed()).hasSize(4);
        assertThat(answer.waitMicros()).isZero();
    }

    @Test
    void nothingIsPrefetchedWhileOtherPrioritiesAreInUse() {
        schedule(in("a", 0), in("b", 0).priority(9), in("c", 0), in("d", 0).priority(0), in("e", 0));

        assertThat(ids(claim(twoAndTwo(HALF_AN_HOUR)))).hasSize(2).startsWith("b");
    }

    @Test
    void prefetchDoesNotRaiseTheNumberOfEarlyMessages() {
        schedule(in("a", 1), in("b", 2), in("c", 3));

        assertThat(ids(claim(twoAndTwo(new Early(Duration.ofMinutes(30), 1))))).containsExactly("a");
    }

    private ClaimRequest twoAndTwo(Early early) {
        return StoreCalls.claimRequest(nextCall(), 2, 2, LEASE, 3, null, early);
    }

    @Test
    void nothingIsClaimedEarlyWhileOtherPrioritiesAreInUse() {
        schedule(in("soon", 1), in("urgent", 2).priority(9), in("low", 0).priority(0));

        assertThat(ids(claim(HALF_AN_HOUR))).containsExactly("low");
    }

    @Test
    void aMessageOfANewerVersionIsNeverClaimedEarly() {
        schedule(in("a", 1), in("other", 2), in("b", 3));
        redis.hset(
                raw.name(":messages"),
                "other",
                "2" + raw.messages().get("other").substring(1));
        Map<String, Long> before = raw.scheduled();

        ClaimAnswer answer = claim(HALF_AN_HOUR);

        assertThat(ids(answer)).containsExactly("a");
        assertThat(answer.deferred()).isZero();
        assertThat(raw.scheduled()).containsOnlyKeys("other", "b");
        assertThat(raw.scheduled()).containsEntry("other", before.get("other"));
    }

    @Test
    void aMessageClaimedEarlyCanNotBeCancelledUntilItIsReleased() {
        schedule(in("soon", 20));
        Claimed claimed = claim(HALF_AN_HOUR).claimed().get(0);

        assertThat(get(store.cancel(PARTITION, List.of("soon")))).containsExactly(CancelOutcome.IN_FLIGHT);
        get(store.release(PARTITION, List.of(new Release(claimed.lease(), claimed.dueMicros(), 4))));

        assertThat(raw.scheduled()).containsEntry("soon", claimed.dueMicros());
        assertThat(get(store.cancel(PARTITION, List.of("soon")))).containsExactly(CancelOutcome.CANCELLED);
    }

    /** The due time of each is lost; that of the last one is their upper bound, whatever the repeated claim itself asks for. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aRepeatedClaimReturnsNoEarlierDueTimeThanTheFirst(boolean sameHorizon) {
        schedule(in("soon", 20), in("due", 0));
        ClaimRequest first = StoreCalls.claimRequest(nextCall(), 10, 0, LEASE, 3, null, HALF_AN_HOUR);
        ClaimAnswer answered = claim(first);

        ClaimAnswer again = claim(StoreCalls.claimRequest(
                new CallId(CONSUMER, callNumbers.get(), true),
                10,
                0,
                LEASE,
                3,
                null,
                sameHorizon ? HALF_AN_HOUR : StoreCalls.NOT_EARLY));

        assertThat(ids(again)).containsExactlyInAnyOrder("soon", "due");
        assertThat(again.claimed())
                .extracting(Claimed::dueMicros)
                .containsOnly(answered.claimed().get(1).dueMicros());
    }

    @Test
    void aReleaseAfterARepeatedClaimMakesNoMessageDueEarlier() {
        schedule(in("soon", 20), in("sooner", 10));
        Map<String, Long> dues = raw.scheduled();
        ClaimRequest first = StoreCalls.claimRequest(nextCall(), 10, 0, LEASE, 3, null, HALF_AN_HOUR);
        claim(first);

        ClaimAnswer again = claim(StoreCalls.claimRequest(repeated(first.callId()), 10, LEASE, 3, null));
        get(store.release(
                PARTITION,
                again.claimed().stream()
                        .map(claimed -> new Release(claimed.lease(), claimed.dueMicros(), 4))
                        .toList()));

        assertThat(raw.scheduled())
                .hasSize(2)
                .allSatisfy((id, due) ->
                        assertThat(due).as("due time of %s", id).isBetween(dues.get(id), dues.get("soon")));
    }

    @Test
    void aFarMessageOfAnotherPriorityStopsNeitherEarlyClaimsNorPrefetch() {
        schedule(in("far", 120).priority(9), in("soon", 1), in("a", 0), in("b", 0), in("c", 0));

        assertThat(ids(claim(twoAndTwo(HALF_AN_HOUR)))).containsExactly("a", "b", "c", "soon");
    }

    @Test
    void aMessageOfAnotherPriorityThatIsDueWithinTheHorizonKeepsItsTurn() {
        schedule(in("urgent", 20).priority(9), in("soon", 1), in("a", 0), in("b", 0), in("c", 0));

        assertThat(ids(claim(twoAndTwo(HALF_AN_HOUR)))).containsExactly("a", "b");
    }

    private ClaimAnswer claim(Early early) {
        return claim(StoreCalls.claimRequest(nextCall(), 10, 0, HOUR, 3, null, early));
    }

    private static OutgoingMessage.Builder in(String id, int minutes) {
        return message(id).delay(Duration.ofMinutes(minutes));
    }

    private static long micros(int minutes) {
        return Duration.ofMinutes(minutes).toNanos() / 1000;
    }
}
