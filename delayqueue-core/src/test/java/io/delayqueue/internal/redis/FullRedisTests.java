package io.delayqueue.internal.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.delayqueue.CancelOutcome;
import io.delayqueue.Delay;
import io.delayqueue.DuplicatePolicy;
import io.delayqueue.RedisFullException;
import io.delayqueue.RescheduleOutcome;
import io.delayqueue.internal.store.CallId;
import io.delayqueue.internal.store.ClaimAnswer;
import io.delayqueue.internal.store.Claimed;
import io.delayqueue.internal.store.DeadLetterStore.RedriveTimes;
import io.delayqueue.internal.store.Extension;
import io.delayqueue.internal.store.Lease;
import io.delayqueue.internal.store.Release;
import io.delayqueue.internal.store.Retry;
import io.delayqueue.testsupport.StoreCalls;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Redis at its memory limit, with the policy {@code noeviction}: nothing new is taken, and everything else goes on. */
class FullRedisTests extends ScriptTests {

    @AfterEach
    void liftLimit() {
        redis.configSet("maxmemory", "0");
    }

    private void reachLimit() {
        redis.configSet("maxmemory", "1");
    }

    @Test
    void aNewMessageIsRefusedByNameAndNothingHasChanged() {
        schedule(message("a").priority(7), message("b"));
        bury(message("dead"));
        Map<String, Object> before = raw.everything();
        reachLimit();

        for (var refused : List.of(message("new").priority(3), message("b"), message("dead"))) {
            assertThatThrownBy(() -> schedule(refused.ifExists(DuplicatePolicy.REPLACE)))
                    .hasCauseInstanceOf(RedisFullException.class)
                    .hasMessageContaining("maxmemory")
                    .hasMessageContaining(TOPIC);
            assertThat(raw.everything()).isEqualTo(before);
        }
    }

    @Test
    void messagesAreClaimedRenewedReleasedRetriedAndAcked() {
        schedule(message("acked"), message("released"), message("retried").priority(8), message("dead"));
        claim();
        reachLimit();
        get(store.release(
                PARTITION, claimedAgain().stream().map(FullRedisTests::release).toList()));

        Map<String, Claimed> held = claimById();
        assertThat(held).hasSize(4);
        List<Long> receipts = get(store.extend(
                PARTITION,
                nextCall(),
                List.of(
                        StoreCalls.extension(held.get("acked").lease(), HOUR),
                        new Extension(held.get("released").lease(), HOUR, Extension.Mode.KEEP_RECEIPT))));
        assertThat(receipts).doesNotContain(-1L);
        List<Retry> ends = List.of(
                new Retry(held.get("retried").lease(), 1, HOUR, 8, "oh"),
                new Retry(held.get("dead").lease(), 1, null, 4, "no use"));
        assertThat(get(store.retry(PARTITION, nextCall(), ends))).containsExactly(true, true);
        assertThat(get(store.release(PARTITION, List.of(release(held.get("released"))))))
                .containsExactly(true);
        assertThat(get(store.ack(PARTITION, nextCall(), List.of(new Lease("acked", receipts.get(0))))))
                .containsExactly(true);
        assertThat(raw.scheduled()).containsOnlyKeys("released");
        assertThat(raw.scheduled(8)).containsOnlyKeys("retried");
        assertThat(raw.dead()).containsOnlyKeys("dead");
    }

    @Test
    void expiredLeasesAreEndedAndExpiredMessagesAndOldDeadLettersDropped() {
        bury(message("dead"));
        schedule(message("a").priority(8), message("once").maxAttempts(1));
        List<Claimed> both = claim(StoreCalls.claimRequest(nextCall(), 2, Duration.ofMillis(200), 3, null))
                .claimed();
        // as before its handler begins: then a single attempt counts
        Lease once = both.get(1).lease();
        assertThat(once.id()).isEqualTo("once");
        assertThat(get(store.extend(
                        PARTITION, nextCall(), List.of(StoreCalls.extension(once, Duration.ofMillis(200))))))
                .doesNotContain(-1L);
        schedule(message("late").timeToLive(Duration.ofMillis(1)));
        reachLimit();

        List<String> expired = new ArrayList<>();
        List<String> back = new ArrayList<>();
        claimUntil(answer -> {
            expired.addAll(answer.expired());
            back.addAll(answer.leaseExpired());
            // a claim that ends leases does nothing else
            return raw.dead().containsKey("once") && !expired.isEmpty();
        });
        assertThat(back).containsExactly("a");
        assertThat(raw.dead()).containsOnlyKeys("dead", "once");
        assertThat(expired).containsExactly("late");
        assertThat(get(store.deadLetters().purgeOlderThan(PARTITION, NOW))).hasSize(2);
    }

    @Test
    void aConsumerThatFindsNothingMayBeExpectedForTheNextMessage() {
        schedule(message("a").delay(Duration.ofMillis(800)));
        reachLimit();

        // the machine may stall until it is due
        assertThat(claim())
                .matches(answer -> answer.isExpected() || !answer.claimed().isEmpty());
    }

    @Test
    void aRepeatedClaimThatFindsNothingIsRecorded() {
        schedule(message("a").delay(HOUR));
        reachLimit();

        assertThat(claim(StoreCalls.claimRequest(new CallId(CONSUMER, 7, true), 10, LEASE, 3, null))
                        .claimed())
                .isEmpty();
        assertThat(raw.meta()).containsKey("claim:" + CONSUMER);
    }

    @Test
    void messagesAreCancelledRescheduledAndRedriven() {
        bury(message("dead").priority(8));
        bury(message("dead, too").priority(8));
        schedule(message("a").delay(HOUR), message("b").delay(HOUR));
        claim();
        reachLimit();

        assertThat(get(store.reschedule(PARTITION, List.of("a"), Delay.NONE)).outcomes())
                .containsExactly(RescheduleOutcome.RESCHEDULED);
        assertThat(get(store.reschedule(PARTITION, List.of("dead"), Delay.NONE)).outcomes())
                .containsExactly(RescheduleOutcome.RESCHEDULED);
        assertThat(get(store.deadLetters().redrive(PARTITION, List.of("dead, too"), RedriveTimes.NOW))
                        .count())
                .isEqualTo(1);
        assertThat(get(store.cancel(PARTITION, List.of("b")))).containsExactly(CancelOutcome.CANCELLED);
        assertThat(ids(claim())).containsExactlyInAnyOrder("a", "dead", "dead, too");
    }

    private List<Claimed> claimedAgain() {
        ClaimAnswer again =
                claim(StoreCalls.claimRequest(new CallId(CONSUMER, callNumbers.get(), true), 100, LEASE, 3, null));
        assertThat(again.claimed()).hasSize(4);
        return again.claimed();
    }

    private Map<String, Claimed> claimById() {
        return claim().claimed().stream()
                .collect(Collectors.toMap(claimed -> claimed.message().id(), claimed -> claimed));
    }

    private static Release release(Claimed claimed) {
        return new Release(
                claimed.lease(), claimed.dueMicros(), claimed.message().priority());
    }
}
