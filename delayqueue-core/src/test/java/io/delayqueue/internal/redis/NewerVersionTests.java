package io.delayqueue.internal.redis;

import static io.delayqueue.CancelOutcome.CANCELLED;
import static io.delayqueue.RescheduleOutcome.RESCHEDULED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.delayqueue.DeadLetter;
import io.delayqueue.Delay;
import io.delayqueue.UnexpectedReplyException;
import io.delayqueue.internal.store.ClaimAnswer;
import io.delayqueue.internal.store.DeadLetterStore;
import io.delayqueue.internal.store.DeadLetterStore.RedriveTimes;
import io.delayqueue.testsupport.StoreCalls;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Messages that a newer version of this library wrote, beside those of this one. */
class NewerVersionTests extends ScriptTests {

    private static final Duration PUT_OFF = Duration.ofSeconds(5);
    private static final Duration GIVE_WAY = Duration.ofMillis(250);

    @ParameterizedTest
    @ValueSource(chars = {'2', '9', 'A', 'Z'})
    void dueOnesAreLeftAndTheirNeighboursDelivered(char version) {
        schedule(message("before"), message("later"), message("urgent").priority(9), message("after"));
        rewrite("later", version);
        rewrite("urgent", version);

        ClaimAnswer answer = claim();

        assertThat(ids(answer)).containsExactlyInAnyOrder("before", "after");
        assertThat(answer.deferred()).isEqualTo(2);
        assertThat(raw.scheduled()).containsOnlyKeys("later");
        assertThat(raw.scheduled(9)).containsOnlyKeys("urgent");
        assertThat(raw.attempts()).isEmpty();
        assertThat(raw.counters()).containsEntry("deferred", "2");
        assertThat(answer.waitMicros()).isGreaterThan(0);
        assertThat(claim().deferred()).isZero();
    }

    @Test
    void theyComeToAConsumerThatKnowsThemOnceTheTimeIsOver() {
        schedule(message("later"));
        rewrite("later", '2');
        assertThat(claim().claimed()).isEmpty();
        rewrite("later", '1');
        redis.zadd(raw.name(":scheduled"), nowMicros(), "later");

        assertThat(ids(claim())).containsExactly("later");
    }

    @Test
    void consumersOfTheNewerVersionAreFirst() {
        schedule(message("later"));
        rewrite("later", '2');

        long wait = claim().waitMicros();

        assertThat(wait).isEqualTo(Micros.of(PUT_OFF.plus(GIVE_WAY)));
        assertThat(claim().waitMicros()).isBetween(Micros.of(GIVE_WAY), wait);
        // ours need not wait for that, nor behind those that are due
        schedule(message("ours").delay(Duration.ofSeconds(1)));
        assertThat(claim().waitMicros()).isLessThanOrEqualTo(Micros.of(Duration.ofSeconds(1)));
        schedule(message("first").dueAt(Micros.instant(1)), message("due").dueAt(Micros.instant(3)));
        redis.zadd(raw.name(":scheduled"), 2, "later");
        assertThat(claim(StoreCalls.claimRequest(nextCall(), 1, HOUR, 3, null)).waitMicros())
                .isZero();
    }

    @Test
    void theyDoNotExpireHere() {
        schedule(message("later").timeToLive(Duration.ofMillis(1)).dueAt(Micros.instant(1)));
        rewrite("later", '2');

        assertThat(claim().expired()).isEmpty();
        assertThat(raw.messages()).containsOnlyKeys("later");
    }

    @Test
    void manyOfThemInFrontDoNotStopTheRest() {
        for (int i = 0; i < 30; i++) {
            schedule(message("later" + i).dueAt(Micros.instant(i + 1)));
            rewrite("later" + i, '2');
        }
        schedule(message("ours"));

        assertThat(ids(claimUntil(answer -> !answer.claimed().isEmpty()))).containsExactly("ours");
    }

    @Test
    void messagesOfACrashedConsumerOfTheNewerVersionAreNeverDeadLetteredHere() {
        schedule(message("later").maxAttempts(1));
        claim(StoreCalls.claimRequest(nextCall(), 1, Duration.ofMillis(1), 3, null));
        rewrite("later", '2');

        ClaimAnswer answer = claimUntil(it -> !it.leaseExpired().isEmpty());

        assertThat(answer.leaseExpired()).containsExactly("later");
        assertThat(answer.deadLettered()).isEmpty();
        assertThat(raw.attempts()).containsEntry("later", "1");
        assertThat(claim().deferred()).isEqualTo(1);
        assertThat(raw.dead()).isEmpty();
    }

    @Test
    void theyCanBeMovedAndRevokedButNotRead() {
        schedule(message("later"));
        rewrite("later", '2');

        assertThatThrownBy(() -> get(store.find(PARTITION, "later")))
                .hasCauseInstanceOf(UnexpectedReplyException.class)
                .hasMessageContaining("newer version of delayqueue (envelope 2; this one reads 1)");
        assertThat(get(store.reschedule(PARTITION, List.of("later"), Delay.of(HOUR)))
                        .outcomes())
                .containsExactly(RESCHEDULED);
        assertThat(get(store.cancel(PARTITION, List.of("later")))).containsExactly(CANCELLED);
    }

    @Test
    void deadOnesAreListedAsTheyAreAndPurged() {
        bury(message("later"));
        rewrite("later", '2');

        DeadLetter letter = get(store.deadLetters().list(PARTITION, 0, 10)).get(0);
        assertThat(letter.id()).isEqualTo("later");
        assertThat(letter.error()).isEqualTo("no use");
        assertThat(new String(letter.payload(), StandardCharsets.UTF_8))
                .startsWith("2")
                .endsWith("body of later");

        assertThat(get(store.deadLetters().purge(PARTITION, List.of("later")))).hasSize(1);
        assertThat(raw.messages()).isEmpty();
        assertThat(raw.counters()).containsEntry("purged", "1");
    }

    @Test
    void redrivenDeadLettersAreDeferredToTheNewerVersion() {
        bury(message("later").priority(9));
        rewrite("later", '2');

        assertThat(get(store.deadLetters().redriveUntil(PARTITION, DeadLetterStore.NOW, RedriveTimes.NOW))
                        .count())
                .isEqualTo(1);

        assertThat(raw.scheduled(9)).containsOnlyKeys("later");
        assertThat(claim().deferred()).isEqualTo(1);
        assertThat(raw.scheduled(9)).containsOnlyKeys("later");
        assertThat(raw.dead()).isEmpty();
        assertThat(stats().totals().deferred()).isEqualTo(1);
        rewrite("later", '1');
        redis.zadd(raw.name(":scheduled:9"), nowMicros(), "later");
        assertThat(claimOne().message().attempt()).isEqualTo(1);
    }

    /** As a newer version would have written it: the first four characters stand where they stood. */
    private void rewrite(String id, char version) {
        String body = redis.hget(raw.name(":messages"), id);
        redis.hset(raw.name(":messages"), id, version + body.substring(1));
    }
}
