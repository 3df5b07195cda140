package io.delayqueue.internal.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.delayqueue.UnexpectedReplyException;
import io.delayqueue.internal.store.CallId;
import io.delayqueue.internal.store.Claimed;
import io.delayqueue.internal.store.Lease;
import io.delayqueue.testsupport.StoreCalls;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class AckScriptTests extends ScriptTests {

    @Test
    void anAckedMessageLeavesNothingButTheCounters() {
        schedule(message("a").priority(3));
        Claimed claimed = claimOne();
        claim();

        assertThat(get(store.ack(PARTITION, nextCall(), List.of(claimed.lease()))))
                .containsExactly(true);
        assertThat(raw.present()).containsExactly(":meta");
        assertThat(raw.counters()).isEqualTo(Map.of("accepted", "1", "acked", "1"));
    }

    @Test
    void itsAttemptsGoWithIt() {
        schedule(message("a"));
        claimOne(Duration.ofMillis(1));
        claimUntil(answer -> !answer.leaseExpired().isEmpty());
        assertThat(raw.attempts()).containsKey("a");

        get(store.ack(PARTITION, nextCall(), List.of(claimOne().lease())));
        assertThat(raw.present()).containsExactly(":meta");
    }

    @Test
    void aLostLeaseIsReportedAndChangesNothing() {
        schedule(message("a"));
        Claimed claimed = claimOne();
        Map<String, Object> before = raw.everything();

        List<Lease> strangers =
                List.of(new Lease("a", claimed.receipt() - 1), new Lease("never there", claimed.receipt()));
        assertThat(get(store.ack(PARTITION, nextCall(), strangers))).containsExactly(false, false);
        assertThat(raw.everything()).isEqualTo(before);
    }

    @Test
    void aConsumerWhoseLeaseWentToAnotherCanNotAckTheMessage() {
        schedule(message("a"));
        Claimed first = claimOne(Duration.ofMillis(1));
        claimUntil(answer -> !answer.leaseExpired().isEmpty());
        CallId anothers = new CallId("c2", 1, false);
        Claimed second = claim(StoreCalls.claimRequest(anothers, 1, LEASE, 3, null))
                .claimed()
                .get(0);

        assertThat(get(store.ack(PARTITION, nextCall(), List.of(first.lease()))))
                .containsExactly(false);
        assertThat(raw.messages()).containsOnlyKeys("a");
        assertThat(raw.leased()).containsOnlyKeys("a");
        assertThat(get(store.ack(PARTITION, anothers, List.of(second.lease())))).containsExactly(true);
        assertThat(raw.counters()).containsEntry("acked", "1");
    }

    @Test
    void thoseHeldAreEndedAndTheOthersNot() {
        schedule(message("a"), message("b"));
        List<Claimed> both = claim().claimed();

        List<Lease> leases = List.of(new Lease("a", 1), both.get(1).lease());
        assertThat(get(store.ack(PARTITION, nextCall(), leases))).containsExactly(false, true);
        assertThat(raw.leased()).containsOnlyKeys("a");
        assertThat(raw.messages()).containsOnlyKeys("a");
    }

    @Test
    void theSameCallOnceMoreAnswersAsTheFirstTime() {
        schedule(message("a"), message("b"), message("c"));
        List<Claimed> all = claim().claimed();
        List<Lease> mixed = List.of(all.get(0).lease(), new Lease("b", 1));
        CallId first = nextCall();
        assertThat(get(store.ack(PARTITION, first, mixed))).containsExactly(true, false);
        assertThat(get(store.ack(PARTITION, repeated(first), mixed))).containsExactly(true, false);

        List<Lease> whole = List.of(all.get(1).lease(), all.get(2).lease());
        CallId second = nextCall();
        assertThat(get(store.ack(PARTITION, second, whole))).containsExactly(true, true);
        Map<String, Object> before = raw.everything();
        assertThat(get(store.ack(PARTITION, repeated(second), whole))).containsExactly(true, true);
        assertThat(raw.everything()).isEqualTo(before);
        assertThat(raw.counters()).containsEntry("acked", "3");
    }

    @Test
    void aCallThatComesAfterALaterOneIsStale() {
        schedule(message("a"), message("b"));
        List<Claimed> both = claim().claimed();
        CallId early = nextCall();
        get(store.ack(PARTITION, nextCall(), List.of(both.get(0).lease())));
        Map<String, Object> before = raw.everything();

        assertThatThrownBy(() ->
                        get(store.ack(PARTITION, early, List.of(both.get(1).lease()))))
                .hasCauseInstanceOf(UnexpectedReplyException.class)
                .hasMessageContaining("STALE");
        assertThat(raw.everything()).isEqualTo(before);
    }

    @Test
    void consumersHaveRecordedCallsOfTheirOwnUntilTheyAreForgotten() {
        schedule(message("a"), message("b"));
        List<Claimed> both = claim().claimed();
        get(store.ack(PARTITION, new CallId("x", 7, false), List.of(both.get(0).lease())));
        get(store.ack(PARTITION, new CallId("y", 1, false), List.of(both.get(1).lease())));
        assertThat(raw.meta()).containsKeys("ack:x", "ack:y", "claim:" + CONSUMER);

        get(store.forgetConsumer(PARTITION, "x"));
        get(store.forgetConsumer(PARTITION, CONSUMER));
        assertThat(raw.meta().keySet()).containsExactlyInAnyOrder("ack:y", "accepted", "acked", "format");
    }
}
