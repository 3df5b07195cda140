package io.delayqueue.jdbc.restore;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.Delay;
import io.delayqueue.jdbc.testsupport.database.DatabaseKind;
import io.delayqueue.jdbc.testsupport.database.EachDatabase;
import io.delayqueue.jdbc.testsupport.database.TestDatabase;
import io.delayqueue.test.EmbeddedRedis;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;

/** Instances see different things: two servers, or one with more in its memory. And a server that lost one partition only. */
@Tag("slow")
class SplitBrainTests {

    private static final String TOPIC = RestoreFixture.TOPIC;
    private static final Duration HOUR = Duration.ofHours(1);

    private final EmbeddedRedis former = EmbeddedRedis.start();

    @AfterEach
    void close() {
        former.close();
    }

    private static RestoreFixture instance(DataSource dataSource, EmbeddedRedis server, String name) {
        return new RestoreFixture(dataSource, server.uri(), RestoreFixture.SETTINGS, true, name, 1);
    }

    /** One instance still talks to the former primary, and repairs nothing in the place of the others. */
    @EachDatabase({DatabaseKind.H2, DatabaseKind.POSTGRESQL})
    void aServerThatWasLeftTakesNothingBack(TestDatabase database) {
        DataSource dataSource = database.withSchema().dataSource();
        try (EmbeddedRedis promoted = EmbeddedRedis.start();
                RestoreFixture there = instance(dataSource, former, "there");
                RestoreFixture here = instance(dataSource, promoted, "here")) {
            there.relay.start();
            there.schedule("a", 30, HOUR);
            there.awaitSent();
            there.relay.close();
            String first = there.expectedEpoch();

            assertThat(here.restore.check(TOPIC)).isTrue();
            String second = here.expectedEpoch();
            there.restore.removeRevived(TOPIC, () -> false);

            assertThat(rows(here, KnownPartitions.REMOVE)).isEqualTo(1);
            assertThat(there.restore.check(TOPIC)).isTrue();
            assertThat(there.expectedEpoch()).isNotIn(first, second);
            there.restore.removeRevived(TOPIC, () -> false);
            assertThat(there.restore.refill(TOPIC, () -> false)).isEqualTo(JournalRestore.Outcome.DONE);
            assertThat(here.openRefills()).isZero();

            // the former one is stopped
            here.start();
            RestoreFixture.await().until(() -> here.scheduled() == 30);
            RestoreFixture.await().until(() -> here.openRefills() == 0);
            assertThat(here.expectedEpoch()).isNotIn(first, second);
        }
    }

    private static long rows(RestoreFixture here, String instance) {
        return here.jdbc
                .sql("SELECT COUNT(*) FROM delayqueue_partition WHERE instance = ?")
                .param(here.name(instance))
                .query(Long.class)
                .single();
    }

    /** Another instance looked first, and could not know. */
    @EachDatabase({DatabaseKind.H2, DatabaseKind.POSTGRESQL})
    void whatOneInstanceHasInMemoryCountsLaterToo(TestDatabase database) {
        DataSource dataSource = database.withSchema().dataSource();
        try (RestoreFixture knowing = instance(dataSource, former, "knowing");
                RestoreFixture other = instance(dataSource, former, "other")) {
            List<String> ids = knowing.schedule("a", 10, HOUR);
            knowing.relay.runOnce();
            knowing.awaitSent();
            knowing.redis().save();
            CountDownLatch recorded = new CountDownLatch(1);
            knowing.holdRecords(recorded);
            knowing.client.cancelAll(TOPIC, ids);
            former.kill();
            former.restart();
            knowing.awaitRedis();
            other.awaitRedis();
            assertThat(other.restore.check(TOPIC)).isFalse();
            recorded.countDown();

            knowing.watch.start();

            RestoreFixture.await().until(() -> knowing.losses.size() == 1);
            RestoreFixture.await().until(() -> knowing.openRefills() == 0);
            RestoreFixture.await().until(() -> knowing.scheduled() == 0);
            assertThat(knowing.restore.check(TOPIC)).isFalse();
            assertThat(other.restore.check(TOPIC)).isFalse();
            assertThat(knowing.losses).containsExactly(new RedisLossDetectedEvent(TOPIC, 0, Loss.SET_BACK));
        }
    }

    /** The counters of one partition may go back, so those of the topic tell nothing of the other one. */
    @Tag("slow")
    @EachDatabase({DatabaseKind.H2, DatabaseKind.POSTGRESQL})
    void anEvictionIsFoundBesideALossOfAnotherPartition(TestDatabase database) {
        try (RestoreFixture here = new RestoreFixture(
                database.withSchema().dataSource(), former.uri(), RestoreFixture.SETTINGS, true, "here", 2)) {
            here.relay.start();
            here.schedule("a", 60, HOUR);
            here.awaitSent();
            here.restore.compare(TOPIC, () -> false);
            here.redis().del("dq:{orders:0}:messages", "dq:{orders:0}:scheduled");
            String keys = "dq:{orders:1}";
            here.redis().del(keys + ":messages", keys + ":scheduled", keys + ":applied");
            here.redis().hdel(keys + ":meta", "epoch", "sent");
            assertThat(here.restore.check(TOPIC)).isTrue();
            here.restore.removeRevived(TOPIC, () -> false);
            RestoreFixture.await().until(() -> {
                here.restore.refill(TOPIC, () -> false);
                return here.openRefills() == 0;
            });
            assertThat(here.losses).hasSize(1);
            here.awaitSent();

            assertThat(here.restore.compare(TOPIC, () -> false)).isEqualTo(JournalRestore.Outcome.DONE);

            assertThat(here.count("status = 'UNRECORDED'")).isZero();
            RestoreFixture.await().until(() -> here.scheduled() == 60);
        }
    }

    /** An instance that did not look meanwhile knows what was lost, and that it was repaired. */
    @EachDatabase({DatabaseKind.H2, DatabaseKind.POSTGRESQL})
    void aLossThatAnotherInstanceRepairedIsNotFoundAgain(TestDatabase database) {
        DataSource dataSource = database.withSchema().dataSource();
        try (RestoreFixture knowing = instance(dataSource, former, "knowing");
                RestoreFixture other = instance(dataSource, former, "other")) {
            knowing.schedule("a", 10, HOUR);
            knowing.relay.runOnce();
            knowing.awaitSent();
            knowing.redis().save();
            knowing.schedule("b", 10, HOUR);
            knowing.relay.runOnce();
            knowing.awaitSent();
            former.kill();
            former.restart();
            knowing.awaitRedis();
            other.awaitRedis();
            assertThat(other.restore.check(TOPIC)).isTrue();
            other.restore.removeRevived(TOPIC, () -> false);
            other.relay.start();
            RestoreFixture.await().until(() -> {
                other.restore.refill(TOPIC, () -> false);
                return other.openRefills() == 0;
            });
            assertThat(other.losses).hasSize(1);
            String epoch = other.expectedEpoch();

            assertThat(knowing.restore.check(TOPIC)).isFalse();

            assertThat(knowing.losses).isEmpty();
            assertThat(knowing.expectedEpoch()).isEqualTo(epoch);
            // the next loss is told
            knowing.redis().flushall();
            assertThat(knowing.restore.check(TOPIC)).isTrue();
            assertThat(knowing.losses).hasSize(1);
        }
    }

    /** Where nothing was lost, the journal may have old due times, and may lack ends. */
    @EachDatabase({DatabaseKind.H2, DatabaseKind.POSTGRESQL})
    void partitionsThatLostNothingAreLeftAlone(TestDatabase database) {
        try (RestoreFixture here = new RestoreFixture(
                database.withSchema().dataSource(), former.uri(), RestoreFixture.SETTINGS, true, "here", 2)) {
            here.auditing = false;
            here.schedule("a", 60, HOUR);
            here.relay.runOnce();
            here.awaitSent();
            List<String> intact = IntStream.range(0, 60)
                    .mapToObj(i -> "a" + i)
                    .filter(id -> here.redis().hexists("dq:{orders:0}:messages", id))
                    .toList();
            assertThat(intact).hasSizeBetween(2, 58);
            here.client.reschedule(TOPIC, intact.get(0), Delay.of(Duration.ofDays(3)));
            here.client.cancel(TOPIC, intact.get(1));
            String keys = "dq:{orders:1}";
            here.redis().del(keys + ":messages", keys + ":scheduled", keys + ":applied");
            here.redis().hdel(keys + ":meta", "epoch", "sent");

            here.start();

            RestoreFixture.await().until(() -> here.scheduled() == 59);
            RestoreFixture.await().until(() -> here.openRefills() == 0);
            here.awaitSent();
            assertThat(here.scheduled()).isEqualTo(59);
            assertThat(here.client.find(TOPIC, intact.get(0)))
                    .hasValueSatisfying(found ->
                            assertThat(found.due()).isAfter(Instant.now().plus(Duration.ofDays(2))));
        }
    }
}
