package io.delayqueue.internal.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.internal.store.ClaimAnswer;
import io.delayqueue.internal.store.ClaimAnswer.DeadLettered;
import io.delayqueue.internal.store.ClaimRequest;
import io.delayqueue.internal.store.Claimed;
import io.delayqueue.internal.store.Extension;
import io.delayqueue.internal.store.MessageStore;
import io.delayqueue.testsupport.StoreCalls;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Messages whose consumer neither ended nor renewed its lease. */
class CrashTests extends ScriptTests {

    @Test
    void aCrashCountsAsAnAttemptAndTheMessageIsDeliveredAgain() {
        schedule(message("a").priority(8));
        claimOne(Duration.ofMillis(1));
        claimUntil(answer -> answer.leaseExpired().equals(List.of("a")));

        assertThat(raw.scheduled(8)).containsOnlyKeys("a");
        assertThat(raw.attempts()).isEqualTo(Map.of("a", "1:1"));
        assertThat(raw.counters()).isEqualTo(Map.of("accepted", "1", "retried", "1"));
        assertThat(claimOne().message().attempt()).isEqualTo(2);
    }

    @Test
    void priorityIsNotedAgainIfItWentOutOfUse() {
        schedule(message("a").priority(8));
        // not over before the next claim, however busy the machine is
        claimOne(Duration.ofMillis(500));
        claim();
        assertThat(raw.meta()).doesNotContainKey("priorities");

        claimUntil(answer -> answer.leaseExpired().equals(List.of("a")));
        assertThat(raw.meta()).containsEntry("priorities", "8");
        assertThat(claimOne().message().id()).isEqualTo("a");
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 5})
    void aMessageThatKillsItsConsumersIsDeadAfterItsOwnAttempts(int maxAttempts) {
        schedule(message("a").maxAttempts(maxAttempts).priority(1));
        assertThat(crashUntilDead().deadLettered()).containsExactly(new DeadLettered("a", maxAttempts));

        assertThat(raw.present()).containsExactlyInAnyOrder(":attempts", ":dead", ":dead:errors", ":messages", ":meta");
        assertThat(raw.attempts()).isEqualTo(Map.of("a", Integer.toString(maxAttempts)));
        assertThat(raw.errors().get("a")).startsWith("1lease expired");
        assertThat(raw.counters()).containsEntry("deadLettered", "1");
        assertThat(raw.counters().getOrDefault("retried", "0")).isEqualTo(Integer.toString(maxAttempts - 1));
    }

    @Test
    void aMessageThatNamesNoAttemptsIsDeadAfterThoseOfTheConsumer() {
        schedule(message("a"));

        assertThat(crashUntilDead().deadLettered()).containsExactly(new DeadLettered("a", 3));
    }

    @Test
    void theReceiptOfALostLeaseIsWorthless() {
        schedule(message("a"));
        Claimed lost = claimOne(Duration.ofMillis(1));
        claimUntil(answer -> answer.leaseExpired().equals(List.of("a")));
        Claimed mine = claimOne();

        assertThat(get(store.ack(PARTITION, nextCall(), List.of(lost.lease())))).containsExactly(false);
        assertThat(get(store.ack(PARTITION, nextCall(), List.of(mine.lease())))).containsExactly(true);
    }

    @Test
    void aLeaseWhoseMessageSomebodyDeletedIsCountedAndCleanedUp() {
        schedule(message("a"), message("b"));
        claim(StoreCalls.claimRequest(nextCall(), 10, Duration.ofMillis(1), 3, null));
        redis.hset(raw.name(":attempts"), "a", "1");
        redis.hdel(raw.name(":messages"), "a");
        ClaimAnswer answer = claimUntil(found -> found.orphans() > 0);

        assertThat(answer.orphans()).isEqualTo(1);
        assertThat(answer.leaseExpired()).containsExactly("b");
        assertThat(raw.leased()).isEmpty();
        assertThat(raw.attempts()).isEqualTo(Map.of("b", "1:1"));
        assertThat(raw.counters()).containsEntry("orphaned", "1").containsEntry("purged", "1");
    }

    @Test
    void aMessageWithADamagedBodyHoldsUpNoOtherAndIsDeadAfterItsAttempts() {
        schedule(message("a"), message("damaged"), message("z"));
        redis.hset(raw.name(":messages"), "damaged", "!");
        ClaimAnswer first = claim(StoreCalls.claimRequest(nextCall(), 10, Duration.ofMillis(1), 3, null));
        assertThat(ids(first)).containsExactly("a", "z");
        assertThat(raw.leased()).hasSize(3);

        ClaimAnswer last = crashUntil(answer -> answer.deadLettered().contains(new DeadLettered("damaged", 3)));
        assertThat(last.claimed()).isEmpty();
        assertThat(get(store.deadLetters().list(PARTITION, 0, 10))).anySatisfy(letter -> {
            assertThat(letter.id()).isEqualTo("damaged");
            assertThat(letter.payload()).asString().isEqualTo("!");
        });
    }

    private ClaimAnswer crashUntilDead() {
        return crashUntil(answer -> !answer.deadLettered().isEmpty());
    }

    private ClaimAnswer crashUntil(Predicate<ClaimAnswer> expected) {
        return await().pollInterval(Duration.ofMillis(2))
                .until(
                        () -> claimAlone(StoreCalls.claimRequest(
                                nextCall(),
                                10,
                                0,
                                Duration.ofMillis(1),
                                3,
                                null,
                                StoreCalls.NOT_EARLY,
                                true,
                                MessageStore.LARGEST_BYTES)),
                        expected);
    }

    /** A suspect is handled alone. */
    private ClaimAnswer claimAlone(ClaimRequest request) {
        ClaimAnswer answer = claim(request);
        answer.claimed().stream()
                .filter(Claimed::suspect)
                .map(claimed -> new Extension(claimed.lease(), Duration.ofMillis(1), true))
                .forEach(extension -> get(store.extend(PARTITION, nextCall(), List.of(extension))));
        return answer;
    }
}
