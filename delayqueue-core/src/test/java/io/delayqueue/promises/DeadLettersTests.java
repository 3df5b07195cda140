package io.delayqueue.promises;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.Backoff;
import io.delayqueue.DeadLetter;
import io.delayqueue.DeadLetters;
import io.delayqueue.DelayQueueClient;
import io.delayqueue.TopicOptions;
import io.delayqueue.TopicStats;
import io.delayqueue.testsupport.Deliveries;
import io.delayqueue.testsupport.LogLines;
import io.delayqueue.testsupport.TestQueue;
import io.lettuce.core.ZAddArgs;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Dead letters keep their message and error, and can be listed, redriven and purged. */
class DeadLettersTests {

    private static final Duration RETENTION = Duration.ofDays(7);

    @RegisterExtension
    final TestQueue test = new TestQueue();

    private volatile boolean failing = true;
    private Deliveries deliveries;
    private DeadLetters dead;

    @BeforeEach
    void consume() {
        deliveries = new Deliveries(test, (message, delivery) -> {
            if (failing) {
                throw new IllegalStateException("failed", new java.io.IOException("disk on fire"));
            }
        });
        test.consume(
                TestQueue.options().maxAttempts(2).concurrency(1).backoff(Backoff.fixed(Duration.ZERO)), deliveries);
        dead = test.queue().deadLetters(TestQueue.TOPIC);
    }

    @Test
    void deadLetterHasTheMessageAndItsError() {
        Instant before = test.now();
        test.queue()
                .schedule(TestQueue.message()
                        .id("a")
                        .payload(new byte[] {0, (byte) 0xff, 10, 13, '{'})
                        .header("tenant", "ä\n=:")
                        .header("empty", "")
                        .build());
        awaitDead(1);

        DeadLetter letter = dead.list(0, 10).get(0);

        assertThat(letter.topic()).isEqualTo(TestQueue.TOPIC);
        assertThat(letter.id()).isEqualTo("a");
        assertThat(letter.payload()).containsExactly(0, 0xff, 10, 13, '{');
        assertThat(letter.headers()).containsExactlyInAnyOrderEntriesOf(Map.of("tenant", "ä\n=:", "empty", ""));
        assertThat(letter.error()).contains("IllegalStateException", "failed", "disk on fire");
        assertThat(letter.attempts()).isEqualTo(2);
        assertThat(letter.deadLetteredAt()).isBetween(before, test.now());
        assertThat(letter.scheduledAt())
                .isBetween(before.minusSeconds(60), test.now().plusSeconds(60));
    }

    @Test
    void deadLettersAreListedLatestFirstInPages() {
        for (int i = 0; i < 5; i++) {
            test.schedule("d" + i);
            awaitDead(i + 1);
        }

        assertThat(dead.list(0, 2)).extracting(DeadLetter::id).containsExactly("d4", "d3");
        assertThat(dead.list(2, 2)).extracting(DeadLetter::id).containsExactly("d2", "d1");
        assertThat(dead.list(4, 2)).extracting(DeadLetter::id).containsExactly("d0");
        assertThat(dead.list(5, 2)).isEmpty();
        assertThat(dead.listKeys(1, 3))
                .containsExactlyElementsOf(dead.list(1, 3).stream()
                        .map(letter -> new DeadLetters.Key(letter.id(), letter.deadLetteredAt()))
                        .toList());
    }

    @Test
    void redrivenMessageStartsAnew() throws Exception {
        scheduleDead("a", "b");
        failing = false;

        assertThat(dead.redrive(List.of("a", "unknown"))).isEqualTo(1);

        TestQueue.await().until(() -> test.stats().totals().acked() == 1);
        assertThat(deliveries.ids().subList(4, 5)).containsExactly("a");
        assertThat(deliveries.attempts().subList(4, 5)).containsExactly(1);
        TopicStats stats = test.stats();
        assertThat(stats.dead()).isEqualTo(1);
        assertThat(stats.totals().accepted()).isEqualTo(2);
        assertThat(stats.totals().redriven()).isEqualTo(1);
    }

    @Test
    void redrivenMessageThatFailsAgainIsDeadLetteredAgain() {
        scheduleDead("a");

        assertThat(dead.redrive(List.of("a"))).isEqualTo(1);

        TestQueue.await().until(() -> test.stats().totals().deadLettered() == 2);
        assertThat(deliveries.attempts()).containsExactly(1, 2, 1, 2);
        assertThat(test.stats().dead()).isEqualTo(1);
    }

    @Test
    void allAreRedrivenEvenIfThereAreMany() {
        String[] ids = IntStream.range(0, 1200).mapToObj(i -> "d" + i).toArray(String[]::new);
        withoutWarnings(() -> scheduleDead(ids));
        failing = false;

        assertThat(dead.redriveAll()).isEqualTo(ids.length);

        assertThat(test.awaitDrained().totals().acked()).isEqualTo(ids.length);
    }

    @Test
    void purgedOnesAreGoneAndCounted() {
        scheduleDead("a", "b");

        assertThat(dead.purge(List.of("a", "unknown"))).isEqualTo(1);
        assertThat(dead.list(0, 10)).extracting(DeadLetter::id).containsExactly("b");
        assertThat(dead.purgeOlderThan(Duration.ZERO)).isEqualTo(1);

        assertThat(test.awaitDrained().totals().purged()).isEqualTo(2);
    }

    @Test
    void onlyThoseOldEnoughArePurged() {
        scheduleDead("old", "young");
        ageDeadLetter("old", Duration.ofHours(2));

        assertThat(dead.purgeOlderThan(Duration.ofHours(3))).isZero();
        assertThat(dead.purgeOlderThan(Duration.ofHours(1))).isEqualTo(1);

        assertThat(dead.list(0, 10)).extracting(DeadLetter::id).containsExactly("young");
    }

    @Test
    void consumersPurgeDeadLettersOlderThanTheRetention() {
        scheduleDead("old", "young");
        ageDeadLetter("old", RETENTION.plusMinutes(1));
        ageDeadLetter("young", RETENTION.minusMinutes(1));
        DelayQueueClient another = test.open(options -> options.topic(
                TestQueue.TOPIC,
                TopicOptions.builder().deadLetterRetention(RETENTION).build()));

        TestQueue.consume(another, TestQueue.options(), deliveries);

        TestQueue.await().until(() -> test.stats().totals().purged() == 1);
        assertThat(dead.list(0, 10)).extracting(DeadLetter::id).containsExactly("young");
    }

    @Test
    void cancelledDeadLetterIsGone() {
        scheduleDead("a");

        test.queue().cancel(TestQueue.TOPIC, "a");

        assertThat(test.awaitDrained().totals().cancelled()).isEqualTo(1);
    }

    private void scheduleDead(String... ids) {
        long before = test.stats().dead();
        test.queue()
                .scheduleAll(java.util.Arrays.stream(ids)
                        .map(id -> TestQueue.message().id(id).build())
                        .toList());
        awaitDead(before + ids.length);
    }

    /** Hides the warnings of a test with many dead letters. */
    private static void withoutWarnings(Runnable action) {
        try (LogLines hidden = LogLines.ofEngine()) {
            action.run();
        }
    }

    private void awaitDead(long count) {
        TestQueue.await().until(() -> test.stats().dead() == count);
    }

    private void ageDeadLetter(String id, Duration age) {
        double micros = test.nowMicros() - age.toNanos() / 1000;
        assertThat(test.redis()
                        .zadd(TestQueue.key("dead"), ZAddArgs.Builder.xx().ch(), micros, id))
                .isEqualTo(1);
    }
}
