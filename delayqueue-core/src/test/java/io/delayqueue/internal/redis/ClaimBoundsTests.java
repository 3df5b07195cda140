package io.delayqueue.internal.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.OutgoingMessage;
import io.delayqueue.internal.store.ClaimAnswer;
import io.delayqueue.internal.store.ClaimRequest;
import io.delayqueue.internal.store.Claimed;
import io.delayqueue.internal.store.MessageStore;
import io.delayqueue.testsupport.StoreCalls;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** One call never makes Redis work, or answer, without bound. */
class ClaimBoundsTests extends ScriptTests {

    private static final int MIB = 1024 * 1024;

    @Test
    void messagesOfAMebibyteComeFourOrFiveAtATime() {
        for (int i = 0; i < 24; i++) {
            schedule(message("m" + i).payload(new byte[MIB]));
        }
        Set<String> seen = new HashSet<>();
        List<Integer> sizes = new ArrayList<>();
        ClaimAnswer answer;
        do {
            answer = claim(request(512));
            seen.addAll(ids(answer));
            sizes.add(answer.claimed().size());
            assertThat(bytes(answer)).isLessThanOrEqualTo(MessageStore.LARGEST_BYTES + MIB);
        } while (answer.waitMicros() == 0);

        assertThat(seen).hasSize(24);
        assertThat(sizes).hasSizeBetween(6, 7);
    }

    @Test
    void aFewLargeOnesAmongSmallOnesAreBoundedToo() {
        Instant past = Instant.ofEpochSecond(1);
        for (int i = 0; i < 40; i++) {
            schedule(message("m" + i).payload(new byte[i < 20 ? 10 : MIB]).dueAt(past.plusSeconds(i)));
        }
        ClaimAnswer first = claim(request(512));

        assertThat(first.claimed()).hasSizeBetween(23, 25);
        assertThat(first.waitMicros()).isZero();
        assertThat(bytes(first)).isLessThanOrEqualTo(MessageStore.LARGEST_BYTES + MIB);
        assertThat(ids(claim(request(512)))).isNotEmpty().doesNotContainAnyElementsOf(ids(first));
    }

    /** Redis reads no body in vain: it took seconds to read sixteen of the largest ones. */
    @Test
    void bodiesThatAreTooManyAreNotEvenRead() {
        for (int i = 0; i < 16; i++) {
            schedule(message("m" + i).payload(new byte[16 * MIB]));
        }
        redis.configResetstat();

        assertThat(claim(request(512)).claimed()).hasSize(1);

        assertThat(redis.info("commandstats").lines().filter(line -> line.startsWith("cmdstat_hmget")))
                .as("meta and one body")
                .singleElement()
                .asString()
                .contains("calls=2,");
    }

    @Test
    void aClaimReturnsNoMoreBytesThanItAskedFor() {
        for (int i = 0; i < 10; i++) {
            schedule(message("m" + i).payload(new byte[100_000]));
        }

        assertThat(claim(ofBytes(250_000)).claimed()).hasSize(3);
        assertThat(claim(ofBytes(1)).claimed()).as("one, whatever its size").hasSize(1);
    }

    private ClaimRequest ofBytes(int maxBytes) {
        return StoreCalls.claimRequest(nextCall(), 512, 0, LEASE, 3, null, StoreCalls.NOT_EARLY, false, maxBytes);
    }

    @Test
    void oneMessageLargerThanTheBoundIsDelivered() {
        schedule(message("huge").payload(new byte[5 * MIB]));
        schedule(message("next"));

        assertThat(ids(claim())).containsExactly("huge");
        assertThat(ids(claim())).containsExactly("next");
    }

    @Test
    void twentyThousandDueInOneMillisecondAreClaimedInFullBatches() {
        Instant due = Instant.now().minusSeconds(1);
        for (int from = 0; from < 20_000; from += 500) {
            schedule(IntStream.range(from, from + 500)
                    .mapToObj(i -> message("m" + i).dueAt(due).build())
                    .toList());
        }
        assertThat(stats().pending().ready()).isEqualTo(20_000);
        Set<String> seen = new HashSet<>();
        int calls = 0;
        ClaimAnswer answer;
        do {
            answer = claim(request(512));
            seen.addAll(ids(answer));
            get(store.ack(
                    PARTITION,
                    nextCall(),
                    answer.claimed().stream().map(Claimed::lease).toList()));
            calls++;
        } while (answer.waitMicros() == 0);

        assertThat(seen).hasSize(20_000);
        assertThat(calls).isEqualTo(40);
        assertThat(raw.present()).containsExactly(":meta");
        assertThat(raw.counters()).containsEntry("acked", "20000").containsEntry("accepted", "20000");
    }

    @Test
    void expiredLeasesAreEndedInBoundedSteps() {
        List<OutgoingMessage> many =
                IntStream.range(0, 200).mapToObj(i -> message("m" + i).build()).toList();
        schedule(many);
        ClaimRequest brief = StoreCalls.claimRequest(nextCall(), 200, Duration.ofMillis(1), 3, null);
        assertThat(claim(brief).claimed()).hasSize(200);
        ClaimAnswer first = claimUntil(answer -> !answer.leaseExpired().isEmpty());

        assertThat(first.leaseExpired()).hasSize(64);
        assertThat(first.waitMicros()).isZero();
        assertThat(claim().leaseExpired()).hasSize(64);
        assertThat(claim().leaseExpired()).hasSize(64);
        assertThat(claim().leaseExpired()).hasSize(8);
        assertThat(claim(request(512)).claimed()).hasSize(200);
    }

    @Test
    void expiredLeasesOfLargeMessagesAreEndedAFewAtATime() {
        for (int i = 0; i < 8; i++) {
            schedule(message("m" + i).payload(new byte[MIB]));
        }
        // not over before the second claim, however busy the machine is
        Duration lease = Duration.ofSeconds(2);
        claim(StoreCalls.claimRequest(nextCall(), 8, lease, 3, null));
        claim(StoreCalls.claimRequest(nextCall(), 8, lease, 3, null));
        assertThat(raw.leased()).hasSize(8);
        await().until(() -> raw.leased().values().stream().allMatch(deadline -> deadline < nowMicros()));

        assertThat(claim().leaseExpired()).hasSizeBetween(1, 5);
    }

    private static long bytes(ClaimAnswer answer) {
        return answer.claimed().stream()
                .mapToLong(claimed -> claimed.message().payload().length)
                .sum();
    }
}
