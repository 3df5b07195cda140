package io.delayqueue.internal.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.delayqueue.UnexpectedReplyException;
import io.delayqueue.internal.store.CallId;
import io.delayqueue.internal.store.Claimed;
import io.delayqueue.internal.store.Extension;
import io.delayqueue.internal.store.Lease;
import io.delayqueue.testsupport.StoreCalls;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ExtendScriptTests extends ScriptTests {

    @Test
    void aLeaseIsRenewedFromNowAndHasANewReceipt() {
        schedule(message("a"));
        Claimed claimed = claimOne();
        long before = nowMicros();
        long receipt = extend(nextCall(), claimed.lease(), HOUR);

        assertThat(receipt).isBetween(before + Micros.of(HOUR), nowMicros() + Micros.of(HOUR) + 1);
        assertThat(raw.leased()).isEqualTo(Map.of("a", receipt));
        assertThat(raw.messages()).containsOnlyKeys("a");
        assertThat(raw.counters()).isEqualTo(Map.of("accepted", "1"));
    }

    @Test
    void theOldReceiptIsWorthlessAndTheNewOneGood() {
        schedule(message("a"));
        Claimed claimed = claimOne();
        long receipt = extend(nextCall(), claimed.lease(), HOUR);

        assertThat(get(store.ack(PARTITION, nextCall(), List.of(claimed.lease()))))
                .containsExactly(false);
        assertThat(get(store.ack(PARTITION, nextCall(), List.of(new Lease("a", receipt)))))
                .containsExactly(true);
    }

    @Test
    void aRenewedLeaseOutlivesTheOldOne() {
        schedule(message("short"), message("renewed"));
        List<Claimed> both = claim(StoreCalls.claimRequest(nextCall(), 2, Duration.ofMillis(200), 3, null))
                .claimed();
        extend(
                nextCall(),
                both.get(0).message().id().equals("renewed")
                        ? both.get(0).lease()
                        : both.get(1).lease(),
                HOUR);

        assertThat(claimUntil(answer -> !answer.leaseExpired().isEmpty()).leaseExpired())
                .containsExactly("short");
        assertThat(raw.leased()).containsOnlyKeys("renewed");
    }

    @Test
    void aLeaseIsNeverMadeShorter() {
        schedule(message("a"));
        Claimed claimed = claimOne(HOUR);

        // renewed all the same: the next multiple of four
        long receipt = extend(nextCall(), claimed.lease(), Duration.ofMillis(1));
        assertThat(receipt).isBetween(claimed.receipt() + 1, claimed.receipt() + 3);
        assertThat(receipt % 4).isZero();
        assertThat(raw.leased()).isEqualTo(Map.of("a", receipt));
    }

    @Test
    void aLostLeaseIsReportedAndChangesNothing() {
        schedule(message("a"), message("b"));
        List<Claimed> both = claim().claimed();
        Map<String, Object> before = raw.everything();
        assertThat(extend(nextCall(), new Lease("a", 1), HOUR)).isEqualTo(-1);
        assertThat(extend(nextCall(), new Lease("never there", 1), HOUR)).isEqualTo(-1);
        assertThat(raw.everything()).isEqualTo(before);

        List<Extension> mixed = List.of(
                StoreCalls.extension(new Lease("a", 1), HOUR),
                StoreCalls.extension(both.get(1).lease(), HOUR));
        List<Long> receipts = get(store.extend(PARTITION, nextCall(), mixed));
        assertThat(receipts.get(0)).isEqualTo(-1);
        assertThat(raw.leased()).containsEntry("a", both.get(0).receipt()).containsEntry("b", receipts.get(1));
    }

    @Test
    void theSameCallOnceMoreGivesTheSameReceipts() {
        schedule(message("a"), message("b"), message("c"));
        List<Claimed> all = claim().claimed();
        List<Extension> extensions = List.of(
                StoreCalls.extension(all.get(0).lease(), HOUR),
                StoreCalls.extension(all.get(1).lease(), Duration.ofMillis(1)),
                StoreCalls.extension(new Lease("c", 1), HOUR));
        CallId callId = nextCall();
        List<Long> receipts = get(store.extend(PARTITION, callId, extensions));
        assertThat(receipts.get(1))
                .isBetween(all.get(1).receipt() + 1, all.get(1).receipt() + 3);
        assertThat(receipts.get(2)).isEqualTo(-1);
        Map<String, Object> before = raw.everything();

        assertThat(get(store.extend(PARTITION, repeated(callId), extensions))).isEqualTo(receipts);
        assertThat(raw.everything()).isEqualTo(before);
    }

    /** The receipt that a renewal replaced is the present one's holder's all the same. */
    @Test
    void theSameCallOnceMoreMayTellTheHolderOfAnEarlierReceiptThePresentOne() {
        schedule(message("a"), message("b"));
        List<Claimed> both =
                claim(StoreCalls.claimRequest(nextCall(), 2, HOUR, 3, null)).claimed();
        Lease before = both.get(0).lease();
        long present = extend(nextCall(), before, Duration.ofMillis(1));
        List<Extension> extensions = List.of(
                StoreCalls.extension(before, Duration.ofMillis(1)),
                StoreCalls.extension(both.get(1).lease(), HOUR));
        CallId callId = nextCall();
        List<Long> receipts = get(store.extend(PARTITION, callId, extensions));
        assertThat(receipts.get(0)).isEqualTo(-1);

        assertThat(get(store.extend(PARTITION, repeated(callId), extensions)))
                .containsExactly(present, receipts.get(1));
        assertThat(raw.leased()).containsEntry(before.id(), present);
    }

    @Test
    void theSameCallOnceMoreTellsOfALeaseLostMeanwhile() {
        schedule(message("a"));
        Lease lease = claimOne().lease();
        CallId callId = nextCall();
        long receipt = extend(callId, lease, HOUR);
        get(store.ack(PARTITION, nextCall(), List.of(new Lease("a", receipt))));

        assertThat(extend(repeated(callId), lease, HOUR)).isEqualTo(-1);
    }

    @Test
    void aCallThatComesAfterALaterOneIsStale() {
        schedule(message("a"));
        Lease lease = claimOne().lease();
        CallId early = nextCall();
        long receipt = extend(nextCall(), lease, HOUR);

        assertThatThrownBy(() -> extend(early, new Lease("a", receipt), HOUR))
                .hasCauseInstanceOf(UnexpectedReplyException.class)
                .hasMessageContaining("STALE");
        assertThat(raw.leased()).containsEntry("a", receipt);
    }

    @Test
    void receiptsOfClaimsRenewalsAndSuspectsAloneAreNeverTheSame() {
        schedule(message("a"));
        Claimed claimed = claimOne();

        assertThat(claimed.receipt() % 4).isEqualTo(1);
        long renewed = extend(nextCall(), claimed.lease(), HOUR);
        assertThat(renewed % 4).isZero();
        Extension alone = new Extension(new Lease("a", renewed), HOUR, true);
        assertThat(get(store.extend(PARTITION, nextCall(), List.of(alone))).get(0) % 4)
                .isEqualTo(2);
    }

    private long extend(CallId callId, Lease lease, Duration duration) {
        return get(store.extend(PARTITION, callId, List.of(StoreCalls.extension(lease, duration))))
                .get(0);
    }
}
