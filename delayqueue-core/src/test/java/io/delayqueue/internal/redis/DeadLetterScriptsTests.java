package io.delayqueue.internal.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.DeadLetter;
import io.delayqueue.internal.store.DeadLetterStore;
import io.delayqueue.internal.store.DeadLetterStore.RedriveStep;
import io.delayqueue.internal.store.DeadLetterStore.RedriveTimes;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** Scripts {@code dead_letters}, {@code redrive} and {@code purge}. */
class DeadLetterScriptsTests extends ScriptTests {

    private static final int MIB = 1024 * 1024;

    @Test
    void aDeadLetterIsListedWithEverythingItHas() {
        Instant before = Instant.now();
        bury(message("a").header("kind", "new").priority(8));
        DeadLetter letter = list(0, 10).get(0);

        assertThat(letter.topic()).isEqualTo(TOPIC);
        assertThat(letter.id()).isEqualTo("a");
        assertThat(letter.payload()).asString().isEqualTo("body of a");
        assertThat(letter.headers()).isEqualTo(Map.of("kind", "new"));
        assertThat(letter.error()).isEqualTo("no use");
        assertThat(letter.attempts()).isEqualTo(1);
        assertThat(letter.deadLetteredAt()).isEqualTo(Micros.instant(raw.dead().get("a")));
        assertThat(letter.scheduledAt()).isBetween(before.minusMillis(1), Instant.now());
    }

    @Test
    void pagesComeLatestFirst() {
        for (String id : List.of("a", "b", "c", "d")) {
            bury(message(id));
        }

        assertThat(list(0, 3)).extracting(DeadLetter::id).containsExactly("d", "c", "b");
        assertThat(list(3, 3)).extracting(DeadLetter::id).containsExactly("a");
        assertThat(list(4, 3)).isEmpty();
    }

    @Test
    void aPageOfLargeOnesIsShorterAndNeverEmpty() {
        bury(message("huge").payload(new byte[5 * MIB]));
        for (int i = 0; i < 6; i++) {
            bury(message("m" + i).payload(new byte[MIB]));
        }
        List<String> seen = new ArrayList<>();
        for (List<DeadLetter> page = list(0, 512); !page.isEmpty(); page = list(seen.size(), 512)) {
            assertThat(page).hasSizeBetween(1, 4);
            page.forEach(letter -> seen.add(letter.id()));
        }
        assertThat(seen).containsExactly("m5", "m4", "m3", "m2", "m1", "m0", "huge");
    }

    @Test
    void oneWhoseBodyIsGoneIsListedWithWhatThereIs() {
        bury(message("a"));
        redis.hdel(raw.name(":messages"), "a");
        redis.hdel(raw.name(":dead:errors"), "a");

        assertThat(list(0, 10)).singleElement().satisfies(letter -> {
            assertThat(letter.id()).isEqualTo("a");
            assertThat(letter.payload()).isEmpty();
            assertThat(letter.error()).isEmpty();
        });
    }

    @Test
    void theRedrivenAreDueAtOnceInTheirPriorityWithTheirAttemptsForgotten() {
        bury(message("a").priority(7));
        bury(message("b"));
        bury(message("c"));
        claim();
        assertThat(raw.meta()).doesNotContainKey("priorities");

        assertThat(redrive("a", "never", "b")).isEqualTo(2);
        assertThat(raw.present())
                .containsExactlyInAnyOrder(
                        ":attempts", ":dead", ":dead:errors", ":messages", ":meta", ":scheduled", ":scheduled:7");
        assertThat(raw.dead()).containsOnlyKeys("c");
        assertThat(raw.errors()).containsOnlyKeys("c");
        assertThat(raw.attempts()).containsOnlyKeys("c");
        assertThat(raw.scheduled(7)).containsOnlyKeys("a");
        assertThat(raw.meta()).containsEntry("priorities", "7").containsEntry("redriven", "2");
        assertThat(claimOne().message().attempt()).isEqualTo(1);
    }

    @Test
    void redrivingWhatIsNotDeadChangesNothing() {
        schedule(message("a").delay(HOUR));
        Map<String, Object> before = raw.everything();

        assertThat(redrive("a", "never")).isZero();
        assertThat(get(store.deadLetters().redriveUntil(PARTITION, DeadLetterStore.NOW, RedriveTimes.NOW))
                        .count())
                .isZero();
        assertThat(raw.everything()).isEqualTo(before);
    }

    @Test
    void redrivingAllTakesThoseDeadUntilThen() {
        bury(message("a"));
        long until = nowMicros();
        bury(message("b"));
        RedriveStep step = get(store.deadLetters().redriveUntil(PARTITION, until, RedriveTimes.NOW));
        assertThat(step.count()).isEqualTo(1);
        assertThat(step.timeMicros()).isBetween(until, nowMicros());
        assertThat(raw.dead()).containsOnlyKeys("b");

        assertThat(get(store.deadLetters().redriveUntil(PARTITION, DeadLetterStore.NOW, RedriveTimes.NOW))
                        .count())
                .isEqualTo(1);
        assertThat(raw.dead()).isEmpty();
    }

    @Test
    void oneWhoseBodyIsGoneIsAnOrphanOnceRedriven() {
        bury(message("a"));
        redis.hdel(raw.name(":messages"), "a");
        get(store.deadLetters().redriveUntil(PARTITION, DeadLetterStore.NOW, RedriveTimes.NOW));

        assertThat(claim().orphans()).isEqualTo(1);
        assertThat(raw.present()).containsExactly(":meta");
    }

    @Test
    void thePurgedLeaveNothing() {
        bury(message("a").priority(7));
        bury(message("b"));
        schedule(message("pending").delay(HOUR));

        assertThat(get(store.deadLetters().purge(PARTITION, List.of("a", "never", "pending"))))
                .hasSize(1);
        assertThat(raw.dead()).containsOnlyKeys("b");
        assertThat(raw.messages()).containsOnlyKeys("pending", "b");
        assertThat(raw.errors()).containsOnlyKeys("b");
        assertThat(raw.attempts()).containsOnlyKeys("b");
        assertThat(raw.counters()).containsEntry("purged", "1");
        assertThat(get(store.deadLetters().purge(PARTITION, List.of("a")))).isEmpty();
    }

    @Test
    void purgingByAgeTakesThoseThatWereDeadLetteredLongerAgo() {
        bury(message("a"));
        bury(message("b"));
        assertThat(get(store.deadLetters().purgeOlderThan(PARTITION, HOUR))).isEmpty();
        assertThat(raw.dead()).hasSize(2);

        long deadLetteredAt = raw.dead().get("b");
        Awaitility.await().until(() -> nowMicros() > deadLetteredAt + 1000);
        assertThat(get(store.deadLetters().purgeOlderThan(PARTITION, Duration.ofMillis(1))))
                .hasSize(2);
        assertThat(raw.present()).containsExactly(":meta");
    }

    private long redrive(String... ids) {
        return get(store.deadLetters().redrive(PARTITION, List.of(ids), RedriveTimes.NOW))
                .count();
    }

    private List<DeadLetter> list(int offset, int limit) {
        return get(store.deadLetters().list(PARTITION, offset, limit));
    }
}
