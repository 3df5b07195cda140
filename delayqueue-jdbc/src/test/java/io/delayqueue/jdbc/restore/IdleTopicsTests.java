package io.delayqueue.jdbc.restore;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.jdbc.database.EachDatabase;
import io.delayqueue.jdbc.database.TestDatabase;
import io.delayqueue.test.EmbeddedRedis;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;

/** Topics that have nothing to lose are looked at by comparisons only. */
class IdleTopicsTests {

    private static final RestoreSettings SETTINGS = new RestoreSettings(
            RestoreMode.AUTOMATIC,
            100_000,
            Duration.ofMillis(100),
            Duration.ofSeconds(5),
            Duration.ofSeconds(60),
            Duration.ofSeconds(30),
            Duration.ofMillis(300));

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
            makeOlder(here);
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
        try (RestoreFixture here = new RestoreFixture(database, server.uri(), SETTINGS)) {
            here.relay.start();
            here.schedule("a", 1, Duration.ofHours(1));
            here.awaitSent();
            here.finish("a0", null, "CANCELLED");
            makeOlder(here);
            here.watch.start();

            here.redis().flushall();

            RestoreFixture.await()
                    .untilAsserted(() -> assertThat(here.losses)
                            .containsExactly(new RedisLossDetectedEvent(RestoreFixture.TOPIC, 0, Loss.EMPTY)));
        }
    }

    /** As if two days had passed. */
    private static void makeOlder(RestoreFixture here) {
        here.jdbc
                .sql("UPDATE delayqueue_partition SET updated = updated - 172800000000")
                .update();
    }
}
