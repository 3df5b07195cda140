package io.delayqueue.jdbc.restore;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.jdbc.testsupport.database.DatabaseKind;
import io.delayqueue.jdbc.testsupport.database.EachDatabase;
import io.delayqueue.jdbc.testsupport.database.TestDatabase;
import io.delayqueue.test.EmbeddedRedis;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;

/** Everything is restored by hand. */
@Tag("slow")
class ManyTopicsTests {

    private static final int TOPICS = 30;
    private static final int EACH = 10;
    private static final Duration SETTLE = Duration.ofSeconds(5);

    private final EmbeddedRedis server = EmbeddedRedis.start();

    @AfterEach
    void close() {
        server.close();
    }

    @EachDatabase(DatabaseKind.POSTGRESQL)
    void topicsSettleTogetherAndOneThatFailsIsReported(TestDatabase database) {
        try (RestoreFixture here = new RestoreFixture(database, server.uri(), settings(50))) {
            List<String> topics = missingInRedis(here);
            String broken = topics.get(3);
            here.redis().set("dq:{" + broken + ":0}:messages", "no hash");

            long began = System.nanoTime();
            RestoreReport dry = here.restore.restore(RestoreRequest.all(), true);
            Duration took = Duration.ofNanos(System.nanoTime() - began);

            assertThat(took).isBetween(SETTLE, SETTLE.multipliedBy(TOPICS / 2));
            assertThat(dry.count(Difference.Kind.ONLY_IN_JOURNAL)).isEqualTo((TOPICS - 1) * EACH);
            assertThat(dry.failures()).containsOnlyKeys(broken);
            assertThat(dry.toString()).contains(broken);

            CompletableFuture<RestoreReport> restore =
                    CompletableFuture.supplyAsync(() -> here.restore.restore(RestoreRequest.all(), false));
            RestoreFixture.await().until(() -> here.restore.restored() > 0);
            assertThat(restore).isNotDone();
            assertThat(here.restore.restored()).isLessThan((TOPICS - 1) * EACH);

            RestoreReport real = restore.join();
            assertThat(real.restored()).isEqualTo((TOPICS - 1) * EACH);
            assertThat(real.failures()).containsOnlyKeys(broken);
            assertThat(here.restore.restored()).isEqualTo((TOPICS - 1) * EACH);

            here.redis().del("dq:{" + broken + ":0}:messages");
            assertThat(here.restore.restore(RestoreRequest.topic(broken), false).restored())
                    .isEqualTo(EACH);
            here.relay.start();
            here.awaitSent();
            assertThat(topics)
                    .allSatisfy(topic -> assertThat(
                                    here.client.stats(topic).pending().scheduled())
                            .isEqualTo(EACH));
        }
    }

    /** Slow enough to be watched. */
    private static RestoreSettings settings(int rate) {
        return new RestoreSettings(
                RestoreMode.REPORT,
                rate,
                Duration.ofHours(1),
                Duration.ZERO,
                Duration.ofSeconds(60),
                Duration.ofSeconds(30),
                SETTLE);
    }

    private static List<String> missingInRedis(RestoreFixture here) {
        here.schedule("a", EACH, Duration.ofHours(1));
        List<String> topics = IntStream.range(0, TOPICS)
                .mapToObj(i -> String.format(Locale.ROOT, "topic-%02d", i))
                .toList();
        topics.forEach(here::copyTo);
        here.jdbc.sql("DELETE FROM delayqueue_outbox").update();
        here.jdbc.sql("UPDATE delayqueue_message SET status = 'SCHEDULED'").update();
        here.jdbc
                .sql("DELETE FROM delayqueue_message WHERE topic = ?")
                .param(here.name(RestoreFixture.TOPIC))
                .update();
        assertThat(here.restore.topics()).hasSameElementsAs(topics);
        return topics;
    }

    /** One topic's refill waits for a change that is not sent for an hour; another topic has lost its keys. */
    @EachDatabase(DatabaseKind.POSTGRESQL)
    void othersAreComparedWhileARefillWaits(TestDatabase database) {
        // a comparison takes longer than the pause before the refill is repeated
        RestoreSettings slow = new RestoreSettings(
                RestoreMode.AUTOMATIC,
                100_000,
                Duration.ofMillis(500),
                Duration.ofMillis(500),
                Duration.ofSeconds(60),
                Duration.ofSeconds(30),
                Duration.ofSeconds(11));
        try (RestoreFixture here = new RestoreFixture(database, server.uri(), slow)) {
            here.schedule("a", EACH, Duration.ofHours(1));
            here.copyTo("other");
            here.relay.start();
            here.awaitSent();
            here.reschedule("a0", Duration.ofHours(3), Duration.ofHours(1));
            here.redis()
                    .del(here.redis()
                            .keys("dq:{" + RestoreFixture.TOPIC + ":0}*")
                            .toArray(String[]::new));
            here.redis().del("dq:{other:0}:messages", "dq:{other:0}:scheduled");

            here.watch.start();

            RestoreFixture.await()
                    .until(() -> here.client.stats("other").pending().scheduled() == EACH);
            assertThat(here.restore.losses()).hasSize(1);
            // both settle for as long, so either may be back first
            RestoreFixture.await().until(() -> here.scheduled() == EACH - 1);
        }
    }

    /** Since the loss, messages of one topic ended, and one that is missing is due: it waits for its second look. */
    @EachDatabase({DatabaseKind.POSTGRESQL, DatabaseKind.H2})
    void othersAreRefilledWhileATopicWaitsForItsSecondLook(TestDatabase database) {
        RestoreSettings slow = new RestoreSettings(
                RestoreMode.AUTOMATIC,
                100_000,
                Duration.ofMillis(500),
                Duration.ZERO,
                Duration.ofSeconds(60),
                Duration.ofSeconds(30),
                Duration.ofSeconds(7));
        try (RestoreFixture here = new RestoreFixture(database, server.uri(), slow)) {
            here.schedule("a", EACH, Duration.ofHours(1));
            here.copyTo("other");
            here.relay.start();
            here.awaitSent();
            here.jdbc
                    .sql("UPDATE delayqueue_message SET due = due - ? WHERE topic = ? AND id = ?")
                    .params(TimeUnit.HOURS.toMicros(2), here.name(RestoreFixture.TOPIC), here.name("a0"))
                    .update();
            here.redis().flushall();
            here.redis().hset("dq:{" + RestoreFixture.TOPIC + ":0}:meta", "acked", "1");

            here.watch.start();

            RestoreFixture.await()
                    .until(() -> here.client.stats("other").pending().scheduled() == EACH);
            assertThat(here.client.find(RestoreFixture.TOPIC, "a0")).isEmpty();
            assertThat(here.restore.losses())
                    .extracting(RedisLossDetectedEvent::topic)
                    .contains(RestoreFixture.TOPIC);
            RestoreFixture.await().until(() -> here.openRefills() == 0);
            RestoreFixture.await()
                    .until(() -> here.client.find(RestoreFixture.TOPIC, "a0").isPresent());
            assertThat(here.scheduled()).isEqualTo(EACH - 1);
        }
    }

    /** More rows than are read at once, and pages that end in the middle of a topic, or with the row of one that was deleted. */
    @EachDatabase
    void allTopicsAreFoundOnce(TestDatabase database) {
        try (RestoreFixture here = new RestoreFixture(database, server.uri(), settings(1_000))) {
            String row = "INSERT INTO delayqueue_partition (topic, part, instance, epoch, sent, ended, updated)"
                    + " VALUES (?, ?, ?, 'e', 1, 1, 1)";
            int rows = 0;
            Set<String> used = new TreeSet<>();
            for (int i = 0; rows < 1_100; i++) {
                String topic = String.format(Locale.ROOT, "topic-%04d", i);
                here.jdbc
                        .sql(row)
                        .params(here.name(topic), -1, here.name(KnownPartitions.DELETED))
                        .update();
                rows++;
                // deleted, and used again: its first row is that of the deletion
                if (i % 3 > 0) {
                    for (int part = 0; part < i % 3; part++, rows++) {
                        here.jdbc
                                .sql(row)
                                .params(here.name(topic), part, here.name(KnownPartitions.EXPECTED))
                                .update();
                    }
                    used.add(topic);
                }
            }

            assertThat(here.restore.topics()).containsAll(used).doesNotHaveDuplicates();
        }
    }
}
