package io.delayqueue.internal.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.DeadLetter;
import io.delayqueue.MessageState;
import io.delayqueue.internal.store.ClaimAnswer;
import io.delayqueue.internal.store.Claimed;
import io.delayqueue.internal.store.DeadLetterStore.RedriveTimes;
import io.delayqueue.internal.store.OrphanScanStep;
import io.delayqueue.testsupport.StoreCalls;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Script {@code orphan_scan}, and how {@code claim} counts the unscheduled messages that it would find. */
class OrphanScriptTests extends ScriptTests {

    @Test
    void messagesInTheirPlaceStayThere() {
        oneInEachPlace();
        Map<String, Object> before = raw.everything();

        assertThat(scanOrphans()).isEmpty();
        assertThat(raw.everything()).isEqualTo(before);
        assertThat(tidyUp().unscheduled()).isZero();
    }

    @Test
    void withoutADueTimeItIsADeadLetter() {
        schedule(message("a").delay(HOUR).priority(7), message("b").delay(HOUR));
        redis.del(raw.name(":scheduled:7"));

        assertThat(scanOrphans()).containsExactly(new ClaimAnswer.DeadLettered("a", 0));

        DeadLetter letter = get(store.deadLetters().list(PARTITION, 0, 10)).get(0);
        assertThat(letter.id()).isEqualTo("a");
        assertThat(letter.payload()).asString().isEqualTo("body of a");
        assertThat(letter.error()).contains("deleted its keys, or Redis evicted them");
        assertThat(letter.deadLetteredAt())
                .isBetween(Micros.instant(nowMicros()).minusSeconds(60), Micros.instant(nowMicros()));
        assertThat(stats()).satisfies(stats -> {
            assertThat(stats.totals().deadLettered()).isEqualTo(1);
            assertThat(stats.totals().orphaned()).isEqualTo(1);
            assertThat(stats.pending().scheduled()).isEqualTo(1);
        });
        assertThat(scanOrphans()).isEmpty();
    }

    @Test
    void redrivenItComesInItsPriority() {
        schedule(message("a").delay(HOUR).priority(7));
        redis.del(raw.name(":scheduled:7"));
        scanOrphans();

        get(store.deadLetters().redrive(PARTITION, List.of("a"), RedriveTimes.NOW));

        assertThat(raw.scheduled(7)).containsOnlyKeys("a");
        assertThat(ids(claim())).containsExactly("a");
    }

    @Test
    void withoutALeaseItIsADeadLetterThatItsConsumerCanNotAck() {
        schedule(message("a"));
        Claimed claimed = claimOne();
        redis.del(raw.name(":leased"));

        assertThat(scanOrphans()).containsExactly(new ClaimAnswer.DeadLettered("a", 0));

        assertThat(get(store.ack(PARTITION, nextCall(), List.of(claimed.lease()))))
                .containsExactly(false);
        assertThat(get(store.find(PARTITION, "a")))
                .hasValueSatisfying(found -> assertThat(found.state()).isEqualTo(MessageState.DEAD));
    }

    @Test
    void failedAttemptsAreReturned() {
        schedule(message("a"));
        claimOne(Duration.ofMillis(1));
        claimUntil(answer -> !answer.leaseExpired().isEmpty());
        redis.del(raw.name(":scheduled"));

        assertThat(scanOrphans()).containsExactly(new ClaimAnswer.DeadLettered("a", 1));
        assertThat(get(store.deadLetters().list(PARTITION, 0, 10)))
                .extracting(DeadLetter::attempts)
                .containsExactly(1);
    }

    @Test
    void aBodyThatMakesNoSenseIsADeadLetterToo() {
        schedule(message("b").delay(HOUR));
        redis.hset(raw.name(":messages"), "b", "?");
        redis.del(raw.name(":scheduled"));

        assertThat(scanOrphans()).containsExactly(new ClaimAnswer.DeadLettered("b", 0));
        assertThat(raw.errors().get("b")).startsWith("4");
    }

    @Test
    void manyAreFoundInSteps() {
        for (int from = 0; from < 2_000; from += 500) {
            schedule(IntStream.range(from, from + 500)
                    .mapToObj(i -> message("m" + i).delay(HOUR).build())
                    .toList());
        }
        redis.zremrangebyrank(raw.name(":scheduled"), 500, 1_499);

        List<ClaimAnswer.DeadLettered> found = new ArrayList<>();
        String cursor = OrphanScanStep.BEGIN;
        int steps = 0;
        do {
            OrphanScanStep step = get(store.scanOrphans(PARTITION, cursor));
            assertThat(step.deadLettered()).hasSizeLessThan(200);
            found.addAll(step.deadLettered());
            cursor = step.cursor();
            steps++;
        } while (!cursor.equals(OrphanScanStep.BEGIN));

        assertThat(found).hasSize(1_000).doesNotHaveDuplicates();
        assertThat(steps).isBetween(20, 200);
        assertThat(raw.dead()).hasSize(1_000);
    }

    @Test
    void aClaimThatTidiesUpCountsThem() {
        oneInEachPlace();
        redis.zrem(raw.name(":scheduled"), "waiting");
        redis.zrem(raw.name(":scheduled:0"), "low");

        assertThat(claim().unscheduled()).isZero();
        assertThat(tidyUp().unscheduled()).isEqualTo(2);
        scanOrphans();
        assertThat(tidyUp().unscheduled()).isZero();
    }

    /** A full Redis must not keep them from being seen. */
    @Test
    void whenRedisIsFull() {
        schedule(message("a").delay(HOUR));
        redis.del(raw.name(":scheduled"));
        String before = redis.configGet("maxmemory").get("maxmemory");
        redis.configSet("maxmemory", "1");
        try {
            assertThat(scanOrphans()).hasSize(1);
        } finally {
            redis.configSet("maxmemory", before);
        }
    }

    private void oneInEachPlace() {
        bury(message("dead"));
        schedule(message("leased"));
        claimOne();
        schedule(message("waiting").delay(HOUR), message("low").delay(HOUR).priority(0));
    }

    private ClaimAnswer tidyUp() {
        return claim(StoreCalls.claimRequest(nextCall(), 0, LEASE, 3, Duration.ofDays(1)));
    }

    private List<ClaimAnswer.DeadLettered> scanOrphans() {
        List<ClaimAnswer.DeadLettered> found = new ArrayList<>();
        String cursor = OrphanScanStep.BEGIN;
        do {
            OrphanScanStep step = get(store.scanOrphans(PARTITION, cursor));
            found.addAll(step.deadLettered());
            cursor = step.cursor();
        } while (!cursor.equals(OrphanScanStep.BEGIN));
        return found;
    }
}
