package io.delayqueue.jdbc.restore;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.jdbc.testsupport.database.DatabaseKind;
import io.delayqueue.jdbc.testsupport.database.EachDatabase;
import io.delayqueue.jdbc.testsupport.database.TestDatabase;
import io.delayqueue.test.EmbeddedRedis;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;

/** Topics that have nothing to lose are looked at by comparisons only. */
class IdleTopicsTests {

    private static final RedisLossDetectedEvent LOSS = new RedisLossDetectedEvent(RestoreFixture.TOPIC, 0, Loss.EMPTY);

    private final EmbeddedRedis server = EmbeddedRedis.start();

    @AfterEach
    void close() {
        server.close();
    }

    @EachDatabase
    void aTopicIsInUseWhileItHasMessagesOrChanged(TestDatabase database) {
        try (RestoreFixture here = new RestoreFixture(database, server.uri())) {
            here.relay.start();
            here.schedule("a", 1, Duration.ofHours(1));
            here.awaitSent();
            makeOlder(here, 2);
            assertThat(here.restore.topicsInUse()).containsExactly(RestoreFixture.TOPIC);

            here.finish("a0", null, "CANCELLED");
            assertThat(here.restore.topicsInUse()).isEmpty();
            assertThat(here.restore.topics()).containsExactly(RestoreFixture.TOPIC);

            here.schedule("b", 1, Duration.ofHours(1));
            here.awaitSent();
            here.finish("b0", null, "CANCELLED");
            assertThat(here.restore.topicsInUse()).containsExactly(RestoreFixture.TOPIC);
        }
    }

    @EachDatabase
    void aLossOfAnIdleTopicIsFoundByTheNextComparison(TestDatabase database) {
        try (RestoreFixture here = new RestoreFixture(database, server.uri(), comparingEach(Duration.ofSeconds(2)))) {
            loseIdleTopic(here);

            RestoreFixture.await().untilAsserted(() -> assertThat(here.losses).containsExactly(LOSS));
        }
    }

    @EachDatabase(DatabaseKind.H2)
    void looksLeaveOutIdleTopicsUntilTheyAreUsedAgain(TestDatabase database) {
        try (RestoreFixture here = new RestoreFixture(database, server.uri(), comparingEach(Duration.ofHours(1)))) {
            loseIdleTopic(here);

            RestoreFixture.await()
                    .during(Duration.ofSeconds(1))
                    .untilAsserted(() -> assertThat(here.losses).isEmpty());
            makeOlder(here, -2);
            RestoreFixture.await().untilAsserted(() -> assertThat(here.losses).containsExactly(LOSS));
        }
    }

    /** The first look, which is at all topics, is over when there is one. */
    private static void loseIdleTopic(RestoreFixture here) {
        here.relay.start();
        here.watch.start();
        here.schedule("a", 1, Duration.ofHours(1));
        here.awaitSent();
        here.finish("a0", null, "CANCELLED");
        makeOlder(here, 2);
        awaitLooks(here);
        here.redis().flushall();
    }

    /** A look that began before is over then. Steps are counted instead of time, which a pause of the process takes from both sides. */
    private static void awaitLooks(RestoreFixture here) {
        AtomicInteger steps = new AtomicInteger();
        RestoreFixture.await().until(() -> {
            steps.set(here.restore.topicsInUse().isEmpty() ? steps.get() + 1 : 0);
            return steps.get() >= 20;
        });
    }

    private static RestoreSettings comparingEach(Duration interval) {
        return new RestoreSettings(
                RestoreMode.AUTOMATIC,
                100_000,
                Duration.ofMillis(100),
                interval,
                Duration.ofSeconds(60),
                Duration.ofSeconds(30),
                Duration.ofMillis(300));
    }

    /** As if days had passed. */
    private static void makeOlder(RestoreFixture here, int days) {
        here.jdbc
                .sql("UPDATE delayqueue_partition SET updated = updated - ?")
                .param(TimeUnit.DAYS.toMicros(days))
                .update();
    }
}
