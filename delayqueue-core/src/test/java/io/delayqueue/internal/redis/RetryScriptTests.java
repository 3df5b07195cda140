package io.delayqueue.internal.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.delayqueue.UnexpectedReplyException;
import io.delayqueue.internal.store.CallId;
import io.delayqueue.internal.store.Claimed;
import io.delayqueue.internal.store.Lease;
import io.delayqueue.internal.store.Retry;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RetryScriptTests extends ScriptTests {

    @Test
    void aFailedMessageIsScheduledAgain() {
        schedule(message("a").priority(7));
        Claimed claimed = claimOne();
        claim();
        long before = nowMicros();

        assertThat(get(store.retry(PARTITION, nextCall(), List.of(new Retry(claimed.lease(), 1, HOUR, 7, "oh")))))
                .containsExactly(true);
        assertThat(raw.present()).containsExactlyInAnyOrder(":attempts", ":messages", ":meta", ":scheduled:7");
        assertThat(raw.scheduled(7).get("a")).isBetween(before + Micros.of(HOUR), nowMicros() + Micros.of(HOUR));
        assertThat(raw.attempts()).isEqualTo(Map.of("a", "1"));
        assertThat(raw.meta()).containsEntry("priorities", "7");
        assertThat(raw.counters()).isEqualTo(Map.of("accepted", "1", "retried", "1"));
    }

    @Test
    void itIsDeliveredAgainInItsNextAttempt() {
        schedule(message("a"));
        get(store.retry(PARTITION, nextCall(), List.of(new Retry(claimOne().lease(), 1, NOW, 4, "oh"))));

        assertThat(claimOne().message().attempt()).isEqualTo(2);
    }

    @Test
    void aPostponedMessageIsScheduledAgainAndCountsNoAttempt() {
        schedule(message("a").priority(7));
        Claimed claimed = claimOne();
        long before = nowMicros();

        assertThat(get(store.retry(PARTITION, nextCall(), List.of(Retry.postponed(claimed.lease(), 0, HOUR, 7)))))
                .containsExactly(true);
        assertThat(raw.scheduled(7).get("a")).isBetween(before + Micros.of(HOUR), nowMicros() + Micros.of(HOUR));
        assertThat(raw.leased()).isEmpty();
        assertThat(raw.attempts()).isEqualTo(Map.of("a", "0"));
        assertThat(raw.counters()).isEqualTo(Map.of("accepted", "1", "postponed", "1"));
        assertThat(stats().totals().postponed()).isEqualTo(1);
        assertThat(stats().unaccounted()).isZero();
    }

    @Test
    void aPostponedMessageIsDeliveredAgainInTheSameAttempt() {
        schedule(message("a"));
        get(store.retry(PARTITION, nextCall(), List.of(new Retry(claimOne().lease(), 1, NOW, 4, "oh"))));
        get(store.retry(
                PARTITION, nextCall(), List.of(Retry.postponed(claimOne().lease(), 1, NOW, 4))));

        Claimed again = claimOne();
        assertThat(again.message().attempt()).isEqualTo(2);
        get(store.ack(PARTITION, nextCall(), List.of(again.lease())));
        assertThat(raw.present()).containsExactly(":meta");
    }

    @Test
    void aLostLeaseIsNotPostponed() {
        schedule(message("a"));
        Lease lost = new Lease("a", claimOne().receipt() + 1);
        Map<String, Object> before = raw.everything();

        assertThat(get(store.retry(PARTITION, nextCall(), List.of(Retry.postponed(lost, 0, NOW, 4)))))
                .containsExactly(false);
        assertThat(raw.everything()).isEqualTo(before);
    }

    @Test
    void aFailedAttemptWhoseErrorReadsLikeThatIsNoPostponedOne() {
        schedule(message("a"));

        get(store.retry(PARTITION, nextCall(), List.of(new Retry(claimOne().lease(), 1, HOUR, 4, "postponed"))));

        assertThat(raw.counters()).isEqualTo(Map.of("accepted", "1", "retried", "1"));
    }

    @Test
    void aMessageGivenUpIsDeadWithItsError() {
        schedule(message("a").priority(2));
        Claimed claimed = claimOne();
        long before = nowMicros();

        assertThat(get(store.retry(PARTITION, nextCall(), List.of(new Retry(claimed.lease(), 3, null, 2, "no use")))))
                .containsExactly(true);
        assertThat(raw.present()).containsExactlyInAnyOrder(":attempts", ":dead", ":dead:errors", ":messages", ":meta");
        assertThat(raw.dead().get("a")).isBetween(before, nowMicros());
        assertThat(raw.errors()).isEqualTo(Map.of("a", "2no use"));
        assertThat(raw.attempts()).isEqualTo(Map.of("a", "3"));
        assertThat(raw.counters()).isEqualTo(Map.of("accepted", "1", "deadLettered", "1"));
    }

    @Test
    void aLostLeaseIsReportedAndChangesNothing() {
        schedule(message("a"));
        Claimed claimed = claimOne();
        Map<String, Object> before = raw.everything();
        Lease lost = new Lease("a", claimed.receipt() + 1);

        assertThat(get(store.retry(PARTITION, nextCall(), List.of(new Retry(lost, 1, NOW, 4, "oh")))))
                .containsExactly(false);
        assertThat(get(store.retry(PARTITION, nextCall(), List.of(new Retry(lost, 1, null, 4, "oh")))))
                .containsExactly(false);
        assertThat(raw.everything()).isEqualTo(before);
    }

    @Test
    void aBatchMayHoldEverything() {
        schedule(
                message("again"),
                message("dead"),
                message("lost"),
                message("urgent").priority(9));
        List<Claimed> all = claim().claimed();
        List<Retry> retries = all.stream()
                .map(claimed -> {
                    Lease lease = claimed.lease();
                    return switch (lease.id()) {
                        case "dead" -> new Retry(lease, 1, null, 4, "dead");
                        case "lost" -> new Retry(new Lease("lost", 1), 1, NOW, 4, "lost");
                        case "urgent" -> new Retry(lease, 1, HOUR, 9, "again");
                        default -> new Retry(lease, 1, HOUR, 4, "again");
                    };
                })
                .toList();

        assertThat(get(store.retry(PARTITION, nextCall(), retries))).containsExactly(true, true, true, false);
        assertThat(raw.scheduled()).containsOnlyKeys("again");
        assertThat(raw.scheduled(9)).containsOnlyKeys("urgent");
        assertThat(raw.dead()).containsOnlyKeys("dead");
        assertThat(raw.leased()).containsOnlyKeys("lost");
        assertThat(raw.counters()).containsEntry("retried", "2").containsEntry("deadLettered", "1");
    }

    @Test
    void theSameCallOnceMoreAnswersAsTheFirstTimeAndCountsNoAttempt() {
        schedule(message("a"), message("b"));
        List<Claimed> both = claim().claimed();
        List<Retry> retries = List.of(
                new Retry(both.get(0).lease(), 1, HOUR, 4, "oh"), new Retry(new Lease("b", 1), 1, HOUR, 4, "oh"));
        CallId callId = nextCall();
        assertThat(get(store.retry(PARTITION, callId, retries))).containsExactly(true, false);
        Map<String, Object> before = raw.everything();

        assertThat(get(store.retry(PARTITION, repeated(callId), retries))).containsExactly(true, false);
        assertThat(raw.everything()).isEqualTo(before);
    }

    @Test
    void aCallThatComesAfterALaterOneIsStale() {
        schedule(message("a"), message("b"));
        List<Claimed> both = claim().claimed();
        CallId early = nextCall();
        get(store.retry(PARTITION, nextCall(), List.of(new Retry(both.get(0).lease(), 1, HOUR, 4, "oh"))));
        Map<String, Object> before = raw.everything();

        List<Retry> late = List.of(new Retry(both.get(1).lease(), 1, HOUR, 4, "oh"));
        assertThatThrownBy(() -> get(store.retry(PARTITION, early, late)))
                .hasCauseInstanceOf(UnexpectedReplyException.class)
                .hasMessageContaining("STALE");
        assertThat(raw.everything()).isEqualTo(before);
    }

    @Test
    void errorsOfAnyTextAreKept() {
        String error = "Zürich 日本 \0\r\n\"'" + "x".repeat(1900);
        schedule(message("a"));
        get(store.retry(PARTITION, nextCall(), List.of(new Retry(claimOne().lease(), 1, null, 4, error))));

        assertThat(get(store.deadLetters().list(PARTITION, 0, 1)).get(0).error())
                .isEqualTo(error);
    }
}
