package io.delayqueue.jdbc.restore;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.jdbc.testsupport.database.DatabaseKind;
import io.delayqueue.jdbc.testsupport.database.EachDatabase;
import io.delayqueue.jdbc.testsupport.database.TestDatabase;
import io.delayqueue.test.EmbeddedRedis;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;

/** Some partitions of a topic lose their keys, and others don't. */
@Tag("slow")
class PartitionLossesTests {

    private static final String TOPIC = RestoreFixture.TOPIC;
    private static final Duration HOUR = Duration.ofHours(1);
    private static final int COUNT = 60;

    private final EmbeddedRedis server = EmbeddedRedis.start();

    @AfterEach
    void close() {
        server.close();
    }

    private RestoreFixture instance(DataSource dataSource, String name, int partitions) {
        return new RestoreFixture(dataSource, server.uri(), RestoreFixture.SETTINGS, true, name, partitions);
    }

    private static String key(int partition, String name) {
        return "dq:{" + TOPIC + ":" + partition + "}:" + name;
    }

    /** It has the number of partitions, too. */
    @EachDatabase({DatabaseKind.H2, DatabaseKind.POSTGRESQL, DatabaseKind.MARIADB})
    void aPartitionWhoseMetaWasEvictedIsRepaired(TestDatabase database) {
        DataSource dataSource = database.withSchema().dataSource();
        for (int evicted : List.of(1, 0)) {
            try (RestoreFixture here = instance(dataSource, "here" + evicted, 3)) {
                here.relay.start();
                here.schedule("a" + evicted, COUNT, HOUR);
                here.awaitSent();
                here.redis().del(key(evicted, "meta"));

                here.watch.start();

                RestoreFixture.await().until(() -> here.losses.size() == 1);
                RestoreFixture.await().until(() -> here.openRefills() == 0);
                assertThat(here.losses).containsExactly(new RedisLossDetectedEvent(TOPIC, evicted, Loss.EMPTY));
                assertThat(here.redis().hget(key(evicted, "meta"), "partitions"))
                        .isEqualTo("3");
                assertThat(messages(here)).isEqualTo(here.count("status = 'SCHEDULED'"));
                assertThat(here.restore.restored()).isZero();
            }
        }
    }

    private static long messages(RestoreFixture here) {
        return IntStream.range(0, 3)
                .mapToLong(part -> here.redis().hlen(key(part, "messages")))
                .sum();
    }

    /** The first partition tells the number of partitions, and the process knows of one. */
    @EachDatabase({DatabaseKind.H2, DatabaseKind.POSTGRESQL})
    void intactPartitionsAreNotRefilledByAProcessThatDoesNotKnowThem(TestDatabase database) {
        DataSource dataSource = database.withSchema().dataSource();
        try (RestoreFixture knowing = instance(dataSource, "knowing", 3)) {
            knowing.relay.start();
            knowing.schedule("a", COUNT, HOUR);
            knowing.awaitSent();
        }
        try (RestoreFixture here = instance(dataSource, "here", 1)) {
            here.redis().del(here.redis().keys(key(0, "*")).toArray(String[]::new));
            long lost = COUNT - messages(here);
            assertThat(lost).isBetween(1L, COUNT - 1L);

            here.start();

            RestoreFixture.await().until(() -> here.restore.restored() > 0);
            RestoreFixture.await().until(() -> here.openRefills() == 0);
            here.awaitSent();
            assertThat(here.restore.restored()).isEqualTo(lost);
            assertThat(messages(here)).isEqualTo(COUNT);
            assertThat(here.losses).containsExactly(new RedisLossDetectedEvent(TOPIC, 0, Loss.EMPTY));
        }
    }

    /** A message of one partition waits for a change that is sent in an hour; the others don't. */
    @EachDatabase(DatabaseKind.POSTGRESQL)
    void theLossOfAPartitionEndsForItself(TestDatabase database) {
        try (RestoreFixture here = instance(database.withSchema().dataSource(), "here", 3)) {
            here.relay.start();
            List<String> ids = here.schedule("a", COUNT, HOUR);
            here.awaitSent();
            String waiting = ids.stream()
                    .filter(id -> here.redis().hexists(key(1, "messages"), id))
                    .findFirst()
                    .orElseThrow();
            here.reschedule(waiting, Duration.ofDays(3), HOUR);
            here.redis().flushall();

            here.watch.start();

            RestoreFixture.await().until(() -> here.scheduled() == COUNT - 1);
            RestoreFixture.await().until(() -> here.openRefills() == 1);
            // as of the last look of this process
            RestoreFixture.await()
                    .untilAsserted(() -> assertThat(here.restore.losses())
                            .singleElement()
                            .satisfies(loss -> assertThat(loss.partition()).isEqualTo(1)));
            long scanned = here.restore.restored();
            // another partition is lost: its messages only are walked through
            here.redis().del(here.redis().keys(key(2, "*")).toArray(String[]::new));
            RestoreFixture.await().until(() -> here.losses.size() == 4);
            RestoreFixture.await().until(() -> here.scheduled() == COUNT - 1);
            RestoreFixture.await().until(() -> here.openRefills() == 1);
            assertThat(here.restore.restored()).isGreaterThan(scanned);
            here.endClaims();
            RestoreFixture.await().until(() -> here.openRefills() == 0);
            RestoreFixture.await().until(() -> here.scheduled() == COUNT);
        }
    }

    /** All look at once, and each partition has one loss. */
    @EachDatabase({DatabaseKind.POSTGRESQL, DatabaseKind.MARIADB})
    void instancesComeToOneDecisionForEachPartition(TestDatabase database) {
        DataSource dataSource = database.withSchema().dataSource();
        try (RestoreFixture here = instance(dataSource, "here", 3);
                RestoreFixture there = instance(dataSource, "there", 3)) {
            here.relay.start();
            here.schedule("a", COUNT, HOUR);
            here.awaitSent();
            for (int round = 1; round <= 5; round++) {
                here.redis().del(here.redis().keys(key(1, "*")).toArray(String[]::new));
                here.redis().del(here.redis().keys(key(2, "*")).toArray(String[]::new));

                CompletableFuture<Boolean> others = CompletableFuture.supplyAsync(
                        () -> there.restore.check(TOPIC), task -> new Thread(task).start());
                assertThat(here.restore.check(TOPIC)).isTrue();
                assertThat(others.join()).isTrue();

                assertThat(here.losses.size() + there.losses.size()).isEqualTo(2 * round);
                assertThat(here.openRefills()).isEqualTo(2);
                for (RestoreFixture each : List.of(here, there)) {
                    each.restore.removeRevived(TOPIC, () -> false);
                    each.restore.refill(TOPIC, () -> false);
                }
                here.awaitSent();
                assertThat(here.openRefills()).isZero();
                assertThat(messages(here)).isEqualTo(COUNT);
            }
        }
    }
}
