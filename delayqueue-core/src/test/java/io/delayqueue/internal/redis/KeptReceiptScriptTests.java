package io.delayqueue.internal.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.internal.store.CallId;
import io.delayqueue.internal.store.Claimed;
import io.delayqueue.internal.store.Extension;
import io.delayqueue.internal.store.Extension.Mode;
import io.delayqueue.internal.store.Lease;
import io.delayqueue.internal.store.Release;
import io.delayqueue.internal.store.Retry;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The receipt of a claim stays good while the lease is extended, for a client that has no other. */
class KeptReceiptScriptTests extends ScriptTests {

    @ParameterizedTest
    @EnumSource(
            value = Mode.class,
            names = {"KEEP_RECEIPT", "CHANGE"})
    void anExtendedLeaseEndsLaterAndItsFirstReceiptIsNotedBesideIt(Mode mode) {
        schedule(message("a"), message("b"));
        List<Claimed> both = claim().claimed();
        Lease lease = both.get(0).lease();
        long before = nowMicros();

        long deadline = extend(nextCall(), lease, HOUR, mode);

        assertThat(deadline).isBetween(before + Micros.of(HOUR), nowMicros() + Micros.of(HOUR) + 3);
        assertThat(deadline % 4).as("the kind of an extended lease").isZero();
        assertThat(raw.leased())
                .isEqualTo(Map.of("a", deadline, "b", both.get(1).receipt()));
        assertThat(raw.attempts()).isEqualTo(Map.of("a", "0:0:" + lease.receipt() + ":" + deadline));
    }

    @Test
    void itIsExtendedAgainAndAgainByTheSameReceipt() {
        Lease lease = claimed("a");
        extend(nextCall(), lease, HOUR, Mode.KEEP_RECEIPT);
        long second = extend(nextCall(), lease, HOUR.multipliedBy(2), Mode.KEEP_RECEIPT);
        long third = extend(nextCall(), lease, HOUR, Mode.KEEP_RECEIPT);

        assertThat(second).isGreaterThan(lease.receipt());
        assertThat(third).as("never shorter").isEqualTo(second);
        assertThat(raw.leased()).isEqualTo(Map.of("a", second));
    }

    @Test
    void aChangedLeaseMayEndEarlier() {
        Lease lease = claimed("a");
        extend(nextCall(), lease, HOUR, Mode.KEEP_RECEIPT);
        long changed = extend(nextCall(), lease, Duration.ofSeconds(1), Mode.CHANGE);

        assertThat(changed).isLessThan(lease.receipt());
        assertThat(raw.leased()).isEqualTo(Map.of("a", changed));
        assertThat(extend(nextCall(), lease, HOUR, Mode.KEEP_RECEIPT)).isGreaterThan(lease.receipt());
    }

    @Test
    void theFirstReceiptAcks() {
        Lease lease = extended("a");

        assertThat(get(store.ack(PARTITION, nextCall(), List.of(lease)))).containsExactly(true);
        assertThat(raw.present()).containsExactly(":meta");
        assertThat(raw.counters()).isEqualTo(Map.of("accepted", "1", "acked", "1"));
    }

    @Test
    void theDeadlineItselfAcksToo() {
        Lease lease = claimed("a");
        long deadline = extend(nextCall(), lease, HOUR, Mode.KEEP_RECEIPT);

        assertThat(get(store.ack(PARTITION, nextCall(), List.of(new Lease("a", deadline)))))
                .containsExactly(true);
        assertThat(raw.present()).containsExactly(":meta");
    }

    /** A renewal is told its receipt once more by that receipt alone. */
    @Test
    void itRenewsNothingForAConsumerThatLearnsItsReceipts() {
        Lease lease = extended("a");
        Map<String, Object> before = raw.everything();

        assertThat(extend(nextCall(), lease, HOUR, Mode.RENEW)).isEqualTo(-1);
        assertThat(extend(nextCall(), lease, HOUR, Mode.RENEW_ALONE)).isEqualTo(-1);

        assertThat(raw.everything()).isEqualTo(before);
    }

    /** A renewal has another receipt only if it moves the deadline. */
    @Test
    void itEndsWithARenewalThatMakesTheLeaseLonger() {
        Lease lease = claimed("a");
        long deadline = extend(nextCall(), lease, HOUR, Mode.KEEP_RECEIPT);

        assertThat(extend(nextCall(), new Lease("a", deadline), Duration.ofMillis(1), Mode.RENEW))
                .isEqualTo(deadline);
        assertThat(extend(nextCall(), lease, HOUR, Mode.KEEP_RECEIPT)).isGreaterThanOrEqualTo(deadline);

        long kept = raw.leased().get("a");
        assertThat(extend(nextCall(), new Lease("a", kept), HOUR.multipliedBy(2), Mode.RENEW))
                .isGreaterThan(kept);
        assertThat(extend(nextCall(), lease, HOUR, Mode.KEEP_RECEIPT)).isEqualTo(-1);
    }

    @Test
    void theFirstReceiptRetriesAndDeadLetters() {
        Lease lease = extended("a");

        assertThat(get(store.retry(PARTITION, nextCall(), List.of(new Retry(lease, 1, Duration.ZERO, 4, "failed")))))
                .containsExactly(true);
        assertThat(raw.attempts()).isEqualTo(Map.of("a", "1"));
        assertThat(raw.scheduled()).containsOnlyKeys("a");

        Claimed again = claimOne();
        assertThat(again.message().attempt()).isEqualTo(2);
        extend(nextCall(), again.lease(), HOUR, Mode.KEEP_RECEIPT);
        assertThat(raw.attempts().get("a")).startsWith("1:0:");
        assertThat(get(store.retry(PARTITION, nextCall(), List.of(new Retry(again.lease(), 2, null, 4, "failed")))))
                .containsExactly(true);
        assertThat(raw.dead()).containsOnlyKeys("a");
        assertThat(raw.attempts()).isEqualTo(Map.of("a", "2"));
    }

    @Test
    void theFirstReceiptReleasesWithNoAttemptCounted() {
        schedule(message("a"));
        Claimed claimed = claimOne();
        extend(nextCall(), claimed.lease(), HOUR, Mode.KEEP_RECEIPT);

        assertThat(get(store.release(PARTITION, List.of(new Release(claimed.lease(), claimed.dueMicros(), 4, false)))))
                .containsExactly(true);
        assertThat(raw.leased()).isEmpty();
        assertThat(claimOne().message().attempt()).isEqualTo(1);
    }

    /** The note of the earlier lease is still there, and means nothing any more. */
    @Test
    void itIsWorthlessOnceTheMessageWasReleasedAndClaimedAgain() {
        schedule(message("a"));
        Claimed first = claimOne();
        extend(nextCall(), first.lease(), HOUR, Mode.KEEP_RECEIPT);
        get(store.release(PARTITION, List.of(new Release(first.lease(), first.dueMicros(), 4, false))));
        Claimed second = claimOne();
        Map<String, Object> before = raw.everything();

        assertThat(get(store.ack(PARTITION, nextCall(), List.of(first.lease()))))
                .containsExactly(false);
        assertThat(extend(nextCall(), first.lease(), HOUR, Mode.KEEP_RECEIPT)).isEqualTo(-1);
        assertThat(get(store.release(PARTITION, List.of(new Release(first.lease(), 1, 4, false)))))
                .containsExactly(false);
        assertThat(get(store.retry(
                        PARTITION, nextCall(), List.of(new Retry(first.lease(), 1, Duration.ZERO, 4, "failed")))))
                .containsExactly(false);
        assertThat(raw.everything()).isEqualTo(before);
        assertThat(get(store.ack(PARTITION, nextCall(), List.of(second.lease()))))
                .containsExactly(true);
        assertThat(raw.present()).containsExactly(":meta");
    }

    @Test
    void itIsWorthlessOnceTheLeaseHasExpired() {
        Lease lease = claimed("a");
        extend(nextCall(), lease, Duration.ofMillis(1), Mode.CHANGE);
        claimUntil(answer -> !answer.leaseExpired().isEmpty());

        assertThat(raw.attempts()).isEqualTo(Map.of("a", "1:1"));
        assertThat(get(store.ack(PARTITION, nextCall(), List.of(lease)))).containsExactly(false);
        assertThat(claimUntil(answer -> !answer.claimed().isEmpty())
                        .claimed()
                        .get(0)
                        .message()
                        .attempt())
                .isEqualTo(2);
    }

    @Test
    void theEntryOfAttemptsKeepsWhatItToldBefore() {
        schedule(message("a").maxAttempts(9));
        claimOne(Duration.ofMillis(1));
        claimUntil(answer -> !answer.leaseExpired().isEmpty());
        Claimed again =
                claimUntil(answer -> !answer.claimed().isEmpty()).claimed().get(0);

        long deadline = extend(nextCall(), again.lease(), HOUR, Mode.KEEP_RECEIPT);

        assertThat(raw.attempts()).isEqualTo(Map.of("a", "1:1:" + again.receipt() + ":" + deadline));
        assertThat(get(store.find(PARTITION, "a")).orElseThrow().attempt()).isEqualTo(2);
    }

    @ParameterizedTest
    @EnumSource(
            value = Mode.class,
            names = {"KEEP_RECEIPT", "CHANGE"})
    void theSameCallOnceMoreChangesNothing(Mode mode) {
        schedule(message("a"), message("b"), message("c"));
        List<Claimed> all = claim().claimed();
        List<Extension> extensions = List.of(
                new Extension(all.get(0).lease(), HOUR, mode),
                new Extension(all.get(1).lease(), Duration.ofMinutes(1), mode),
                new Extension(new Lease("c", 1), HOUR, mode));
        CallId callId = nextCall();
        List<Long> deadlines = get(store.extend(PARTITION, callId, extensions));
        assertThat(deadlines.get(2)).isEqualTo(-1);
        Map<String, Object> before = raw.everything();

        assertThat(get(store.extend(PARTITION, repeated(callId), extensions))).isEqualTo(deadlines);
        assertThat(raw.everything()).isEqualTo(before);
    }

    @Test
    void theSameCallOnceMoreTellsOfALeaseLostMeanwhile() {
        Lease lease = claimed("a");
        CallId callId = nextCall();
        extend(callId, lease, HOUR, Mode.KEEP_RECEIPT);
        get(store.ack(PARTITION, nextCall(), List.of(lease)));

        assertThat(extend(repeated(callId), lease, HOUR, Mode.KEEP_RECEIPT)).isEqualTo(-1);
    }

    private Lease claimed(String id) {
        schedule(message(id));
        return claimOne().lease();
    }

    private Lease extended(String id) {
        Lease lease = claimed(id);
        extend(nextCall(), lease, HOUR, Mode.KEEP_RECEIPT);
        return lease;
    }

    private long extend(CallId callId, Lease lease, Duration duration, Mode mode) {
        return get(store.extend(PARTITION, callId, List.of(new Extension(lease, duration, mode))))
                .get(0);
    }
}
