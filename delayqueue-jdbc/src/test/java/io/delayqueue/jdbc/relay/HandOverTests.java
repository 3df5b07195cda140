package io.delayqueue.jdbc.relay;

import static io.delayqueue.jdbc.relay.OutboxFixture.MINE;
import static io.delayqueue.jdbc.relay.OutboxFixture.TOO_LARGE;
import static io.delayqueue.jdbc.relay.OutboxFixture.await;
import static io.delayqueue.jdbc.relay.OutboxFixture.key;
import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.OutboxAnswer.Outcome;
import io.delayqueue.OutboxOptions;
import io.delayqueue.PartitionMark;
import io.delayqueue.jdbc.outbox.CommittedChange;
import io.delayqueue.jdbc.testsupport.database.DatabaseKind;
import io.delayqueue.jdbc.testsupport.database.EachDatabase;
import io.delayqueue.jdbc.testsupport.database.Everyday;
import io.delayqueue.jdbc.testsupport.database.TestDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.extension.RegisterExtension;

@Everyday(DatabaseKind.H2)
class HandOverTests {

    private static final long NOT_FREE = TimeUnit.HOURS.toMicros(1);

    @RegisterExtension
    private static final RedisFixture redis = new RedisFixture();

    private final AtomicInteger left = new AtomicInteger();

    @EachDatabase
    void sendsWhatWasCommittedAndTellsRedisAnswer(TestDatabase database) throws Exception {
        OutboxFixture rows = new OutboxFixture(database);
        rows.scheduled("a", "aaaaaaaa", MINE, NOT_FREE);
        rows.scheduled("b", "bbbbbbbb", MINE, NOT_FREE);
        rows.append("b", "Ccccccccc;");
        try (QueuedHandOver handOver = started(rows)) {
            CommittedChange a = new CommittedChange(key("a"), "aaaaaaaa");
            CommittedChange b = new CommittedChange(key("b"), "bbbbbbbb");
            CommittedChange c = new CommittedChange(key("b"), "cccccccc");
            handOver.offer(List.of(a, b, c));

            assertThat(outcome(a)).isEqualTo(Outcome.SCHEDULED);
            assertThat(outcome(b)).isEqualTo(Outcome.SCHEDULED);
            assertThat(outcome(c)).isEqualTo(Outcome.CANCELLED);
            await().until(() -> rows.outboxRows() == 0);
        }
        assertThat(redis.client.find(OutboxFixture.TOPIC, "a")).isPresent();
        assertThat(redis.client.find(OutboxFixture.TOPIC, "b")).isEmpty();
        assertThat(rows.status("a", "aaaaaaaa")).isEqualTo("SCHEDULED");
        assertThat(rows.status("b", "bbbbbbbb")).isEqualTo("CANCELLED");
        assertThat(left).hasValue(0);
    }

    @EachDatabase
    void leavesRowsThatWereRolledBackOrAreOfOthers(TestDatabase database) throws Exception {
        OutboxFixture rows = new OutboxFixture(database);
        rows.scheduled("others", "aaaaaaaa", MINE + 1, NOT_FREE);
        try (QueuedHandOver handOver = started(rows)) {
            CommittedChange rolledBack = new CommittedChange(key("never"), "bbbbbbbb");
            CommittedChange others = new CommittedChange(key("others"), "aaaaaaaa");
            handOver.offer(List.of(rolledBack, others));

            assertThat(rolledBack.answer().get(1, TimeUnit.MINUTES)).isEmpty();
            assertThat(others.answer().get(1, TimeUnit.MINUTES)).isEmpty();
        }
        assertThat(redis.outbox.calls).hasValue(0);
        assertThat(rows.outboxRows()).isEqualTo(1);
    }

    @EachDatabase
    void sendsThousandsOfChangesInBatches(TestDatabase database) {
        OutboxFixture rows = new OutboxFixture(database);
        List<CommittedChange> changes = changes(rows.scheduled(3_000, "m", new byte[10], MINE, NOT_FREE));
        try (QueuedHandOver handOver = started(rows)) {
            handOver.offer(changes);
            await().until(() -> rows.outboxRows() == 0);
        }
        assertThat(redis.outbox.appliedTokens()).hasSize(3_000);
        assertThat(redis.outbox.calls).hasValueLessThan(100);
        assertThat(changes)
                .allSatisfy(change -> assertThat(change.answer().join()).isPresent());
    }

    /** Another thread does that: a commit waits for its own way to Redis only. */
    @EachDatabase({DatabaseKind.H2, DatabaseKind.POSTGRESQL, DatabaseKind.MARIADB})
    void aChangeIsSentWhileOthersAreRecorded(TestDatabase database) throws Exception {
        OutboxFixture rows = new OutboxFixture(database);
        rows.scheduled("a", "aaaaaaaa", MINE, NOT_FREE);
        rows.scheduled("b", "bbbbbbbb", MINE, NOT_FREE);
        CountDownLatch recording = new CountDownLatch(1);
        CountDownLatch mayRecord = new CountDownLatch(1);
        try (QueuedHandOver handOver = new QueuedHandOver(
                rows.database, redis.outbox, holdingUp(recording, mayRecord), OutboxSettings.DEFAULTS, MINE)) {
            handOver.start();
            try {
                handOver.offer(List.of(new CommittedChange(key("a"), "aaaaaaaa")));
                assertThat(recording.await(1, TimeUnit.MINUTES)).isTrue();
                CommittedChange b = new CommittedChange(key("b"), "bbbbbbbb");
                handOver.offer(List.of(b));
                assertThat(outcome(b)).isEqualTo(Outcome.SCHEDULED);
            } finally {
                mayRecord.countDown();
            }
            await().until(() -> rows.outboxRows() == 0);
        }
        assertThat(redis.outbox.repeated).hasValue(0);
    }

    /** Its row is still there: what was sent would be sent again. */
    @EachDatabase({DatabaseKind.H2, DatabaseKind.POSTGRESQL, DatabaseKind.MARIADB})
    void aChangeOfAnIdThatIsBeingRecordedWaits(TestDatabase database) throws Exception {
        OutboxFixture rows = new OutboxFixture(database);
        rows.scheduled("a", "aaaaaaaa", MINE, NOT_FREE);
        CountDownLatch recording = new CountDownLatch(1);
        CountDownLatch mayRecord = new CountDownLatch(1);
        try (QueuedHandOver handOver = new QueuedHandOver(
                rows.database, redis.outbox, holdingUp(recording, mayRecord), OutboxSettings.DEFAULTS, MINE)) {
            handOver.start();
            CommittedChange later = new CommittedChange(key("a"), "cccccccc");
            try {
                handOver.offer(List.of(new CommittedChange(key("a"), "aaaaaaaa")));
                assertThat(recording.await(1, TimeUnit.MINUTES)).isTrue();
                handOver.offer(List.of(later));
                await().until(() -> handOver.waiting() == 0);
                await().during(Duration.ofMillis(300)).until(() -> redis.outbox.calls.get() == 1);
            } finally {
                mayRecord.countDown();
            }
            assertThat(later.answer().get(1, TimeUnit.MINUTES)).isEmpty();
            await().until(() -> rows.outboxRows() == 0);
        }
        assertThat(redis.outbox.repeated).hasValue(0);
    }

    private static OutboxListener holdingUp(CountDownLatch recording, CountDownLatch mayRecord) {
        return new OutboxListener() {
            @Override
            public void sent(List<SentChange> changes, List<PartitionMark> marks) {
                recording.countDown();
                try {
                    assertThat(mayRecord.await(2, TimeUnit.MINUTES)).isTrue();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }
        };
    }

    @EachDatabase
    void aChangeThatFailsIsAnsweredAsLeftToTheRelay(TestDatabase database) throws Exception {
        OutboxFixture rows = new OutboxFixture(database);
        rows.scheduled(1, "m", TOO_LARGE, MINE, NOT_FREE);
        try (QueuedHandOver handOver = started(rows)) {
            CommittedChange change = new CommittedChange(key("m0"), "g0000000");
            handOver.offer(List.of(change));

            assertThat(change.answer().get(1, TimeUnit.MINUTES)).isEmpty();
            await().until(() -> rows.jdbc
                            .sql("SELECT failures FROM delayqueue_outbox")
                            .query(Integer.class)
                            .single()
                    == 1);
        }
    }

    /** Else whatever finds no room in a burst would be late by the send timeout. */
    @EachDatabase
    void changesThatFindTheQueueFullAreSentOnceItHasCapacity(TestDatabase database) {
        OutboxFixture rows = new OutboxFixture(database);
        rows.scheduled("others", "aaaaaaaa", MINE + 1, NOT_FREE);
        List<CommittedChange> changes = changes(rows.scheduled(2_500, "m", new byte[10], MINE, NOT_FREE));
        OutboxSettings small = new OutboxSettings(Duration.ofHours(2), 20, Duration.ofMillis(100), 50, 10);
        try (QueuedHandOver handOver = new QueuedHandOver(rows.database, redis.outbox, listener(), small, MINE);
                Relay relay = new Relay(rows.database, redis.outbox, OutboxListener.NONE, small)) {
            relay.start();
            handOver.offer(changes);
            assertThat(left).as("found no room").hasValue(2_450);

            handOver.start();

            await().until(() -> rows.outboxRows() == 1);
        }
        assertThat(redis.outbox.appliedTokens()).hasSize(2_500).doesNotHaveDuplicates();
        assertThat(redis.client.find(OutboxFixture.TOPIC, "others"))
                .as("a row of another sender")
                .isEmpty();
    }

    @EachDatabase(DatabaseKind.H2)
    void aFrozenRedisNeverHoldsUpTheCaller(TestDatabase database) {
        OutboxFixture rows = new OutboxFixture(database);
        List<String> ids = rows.scheduled(200, "m", new byte[10], MINE, NOT_FREE);
        OutboxSettings small = new OutboxSettings(Duration.ofSeconds(10), 20, Duration.ofMillis(100), 50, 10);
        try (RedisFixture frozen = new RedisFixture(OutboxOptions.DEFAULTS, Duration.ofSeconds(2))) {
            try (QueuedHandOver handOver = new QueuedHandOver(rows.database, frozen.outbox, listener(), small, MINE)) {
                handOver.start();
                frozen.server.pause();
                List<CommittedChange> changes = changes(ids);
                long[] tookNanos = new long[changes.size()];
                for (int i = 0; i < tookNanos.length; i++) {
                    long began = System.nanoTime();
                    handOver.offer(List.of(changes.get(i)));
                    tookNanos[i] = System.nanoTime() - began;
                }
                Arrays.sort(tookNanos);
                // 70 find room; a machine that stalls may hold up one or two, and a busy one some more
                assertThat(Duration.ofNanos(tookNanos[150])).isLessThan(Duration.ofMillis(10));
                assertThat(Duration.ofNanos(tookNanos[197]))
                        .as("a call of Redis takes 2 s to fail")
                        .isLessThan(Duration.ofSeconds(1));
                assertThat(handOver.waiting()).isLessThanOrEqualTo(50);
                assertThat(left).hasValueGreaterThanOrEqualTo(100);

                // those that were taken are given up, too
                boolean[] failing = {false};
                await().until(() -> {
                    failing[0] |= handOver.isFailing();
                    return changes.stream().allMatch(change -> change.answer().isDone());
                });
                assertThat(failing[0]).isTrue();
            } finally {
                frozen.server.resume();
            }
            try (Relay relay = new Relay(rows.database, frozen.outbox, OutboxListener.NONE, OutboxSettings.DEFAULTS)) {
                await().ignoreExceptions().untilAsserted(() -> {
                    rows.freeRows();
                    relay.runOnce();
                    assertThat(rows.outboxRows()).isZero();
                });
            }
            await().ignoreExceptions().until(() -> frozen.accepted() == 200);
        }
    }

    @EachDatabase(DatabaseKind.H2)
    void sendsWhatWaitsBeforeItEnds(TestDatabase database) {
        OutboxFixture rows = new OutboxFixture(database);
        List<CommittedChange> changes = changes(rows.scheduled(2_000, "m", new byte[10], MINE, NOT_FREE));
        QueuedHandOver handOver = started(rows);
        handOver.offer(changes);
        // a busy machine needs longer than the usual five seconds
        handOver.close(Duration.ofMinutes(1));
        assertThat(rows.outboxRows()).isZero();
    }

    @EachDatabase(DatabaseKind.H2)
    void aClosedHandOverLeavesWhatItIsOfferedToTheRelay(TestDatabase database) {
        OutboxFixture rows = new OutboxFixture(database);
        QueuedHandOver handOver = started(rows);
        handOver.close();
        CommittedChange change = new CommittedChange(key("a"), "aaaaaaaa");
        handOver.offer(List.of(change));

        assertThat(change.answer()).isCompletedWithValue(Optional.empty());
        handOver.start();
        rows.scheduled("b", "bbbbbbbb", MINE, NOT_FREE);
        handOver.offer(List.of(new CommittedChange(key("b"), "bbbbbbbb")));
        await().until(() -> rows.outboxRows() == 0);
        handOver.close();
    }

    private QueuedHandOver started(OutboxFixture rows) {
        QueuedHandOver handOver =
                new QueuedHandOver(rows.database, redis.outbox, listener(), OutboxSettings.DEFAULTS, MINE);
        handOver.start();
        return handOver;
    }

    private OutboxListener listener() {
        return new OutboxListener() {
            @Override
            public void leftToRelay(int changes) {
                left.addAndGet(changes);
            }
        };
    }

    private static List<CommittedChange> changes(List<String> ids) {
        List<CommittedChange> changes = new ArrayList<>();
        for (int i = 0; i < ids.size(); i++) {
            changes.add(new CommittedChange(key(ids.get(i)), String.format(Locale.ROOT, "g%07d", i)));
        }
        return changes;
    }

    private static Outcome outcome(CommittedChange change) throws Exception {
        return change.answer().get(1, TimeUnit.MINUTES).orElseThrow().outcome();
    }
}
