package io.delayqueue.internal.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.delayqueue.UnexpectedReplyException;
import io.delayqueue.internal.store.CallId;
import io.delayqueue.internal.store.ClaimAnswer;
import io.delayqueue.internal.store.ClaimRequest;
import io.delayqueue.internal.store.Claimed;
import io.delayqueue.testsupport.StoreCalls;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Claims sent more than once, since their answer was lost or late. */
class RepeatedClaimTests extends ScriptTests {

    @Test
    void anAnswerThatWasLostIsGivenAgain() {
        schedule(message("a"), message("b").maxAttempts(8), message("c").delay(HOUR));
        CallId callId = nextCall();
        ClaimAnswer lost = claim(10, callId);
        Map<String, Object> before = raw.everything();
        schedule(message("meanwhile"));
        ClaimAnswer again = claim(10, repeated(callId));

        assertThat(ids(again)).containsExactlyInAnyOrder("a", "b");
        assertThat(again.claimed())
                .extracting(Claimed::receipt)
                .containsOnly(lost.claimed().get(0).receipt());
        assertThat(again.claimed())
                .extracting(claimed -> claimed.message().attempt())
                .containsOnly(1);
        assertThat(again.waitMicros()).isZero();
        assertThat(raw.leased()).isEqualTo(before.get(":leased"));
        assertThat(ids(claim())).containsExactly("meanwhile");
    }

    @Test
    void messagesWhoseLeaseIsOverAreNotGivenAgain() {
        schedule(message("a"));
        CallId callId = nextCall();
        ClaimRequest brief = StoreCalls.claimRequest(callId, 1, Duration.ofMillis(1), 3, null);
        long receipt = claim(brief).claimed().get(0).receipt();
        await().until(() -> nowMicros() >= receipt);

        assertThat(claim(1, repeated(callId)).claimed()).isEmpty();
        assertThat(claim().leaseExpired()).containsExactly("a");
    }

    @Test
    void anotherConsumersMessagesAreNotGiven() {
        schedule(message("a"), message("b"));
        claim(1, new CallId("other", 1, false));
        CallId callId = nextCall();
        List<String> mine = ids(claim(1, callId));

        assertThat(ids(claim(1, repeated(callId)))).isEqualTo(mine);
    }

    @Test
    void aSendingThatArrivesAfterItsRepetitionWasAnsweredTakesNothing() {
        CallId callId = nextCall();
        assertThat(claim(10, repeated(callId)).claimed()).isEmpty();
        schedule(message("a"));

        assertThat(claim(10, callId).claimed()).isEmpty();
        assertThat(raw.leased()).isEmpty();
        assertThat(ids(claim())).containsExactly("a");
    }

    @Test
    void aSendingThatArrivesAfterALaterClaimWasAnsweredIsStale() {
        CallId callId = nextCall();
        schedule(message("a"));
        claim();
        schedule(message("b"));
        Map<String, Object> before = raw.everything();

        assertThatThrownBy(() -> claim(10, callId))
                .hasCauseInstanceOf(UnexpectedReplyException.class)
                .hasMessageContaining("STALE");
        assertThat(raw.everything()).isEqualTo(before);
    }

    @Test
    void aSendingThatArrivesLateTakesNothingEvenIfItsRepetitionEndedALease() {
        schedule(message("a"));
        claimOne(Duration.ofMillis(1));
        await().pollInterval(Duration.ofMillis(2))
                .until(
                        () -> claim(10, repeated(nextCall())),
                        answer -> !answer.leaseExpired().isEmpty());

        assertThat(claim(10, new CallId(CONSUMER, callNumbers.get(), false)).claimed())
                .isEmpty();
        assertThat(raw.leased()).isEmpty();
        assertThat(ids(claim())).containsExactly("a");
    }

    @Test
    void turnsOfConsumersThatNeverCameBackAreForgottenOnceThereAreMany() {
        schedule(message("a"), message("b"), message("c"));
        claimOne();
        for (int i = 0; i < 110; i++) {
            redis.hset(raw.name(":meta"), "ack:dead" + i, "7:1000000:");
        }
        claim(1, new CallId("idle", 1, false));
        assertThat(raw.meta()).as("an idle consumer does not look for them").hasSizeGreaterThan(110);
        claim(StoreCalls.claimRequest(new CallId("newcomer", 1, false), 1, LEASE, 3, HOUR));

        assertThat(raw.meta().keySet())
                .containsExactlyInAnyOrder(
                        "accepted", "format", "retention", "claim:" + CONSUMER, "claim:idle", "claim:newcomer");
    }

    private ClaimAnswer claim(int limit, CallId callId) {
        return claim(StoreCalls.claimRequest(callId, limit, LEASE, 3, null));
    }
}
