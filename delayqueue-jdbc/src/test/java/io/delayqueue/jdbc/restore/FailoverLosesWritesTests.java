package io.delayqueue.jdbc.restore;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.jdbc.testsupport.database.DatabaseKind;
import io.delayqueue.jdbc.testsupport.database.EachDatabase;
import io.delayqueue.jdbc.testsupport.database.TestDatabase;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedSentinel;
import io.lettuce.core.KillArgs;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;

/** A server takes over that had not got the last writes: another one at the same address, as behind a name or a virtual IP. */
@Tag("slow")
class FailoverLosesWritesTests {

    @EachDatabase({DatabaseKind.H2, DatabaseKind.POSTGRESQL})
    void theLastWritesAreRepeatedAndTheLastAcksRemembered(TestDatabase database) {
        EmbeddedRedis primary = EmbeddedRedis.start();
        try (EmbeddedRedis replica = EmbeddedRedis.builder().replicaOf(primary).start();
                RestoreFixture here = new RestoreFixture(database, primary.uri())) {
            here.start();
            List<String> acked = here.schedule("acked", 80, Duration.ZERO);
            here.schedule("later", 20, Duration.ofSeconds(3));
            here.awaitSent();
            detachWhenInSync(replica);

            here.consume();
            RestoreFixture.await().until(() -> here.recordedAcks.containsAll(acked));
            List<String> lost = here.schedule("lost", 50, Duration.ofSeconds(3));
            here.awaitSent();
            int port = primary.port();
            primary.close();
            try (EmbeddedRedis promoted =
                    EmbeddedRedis.builder().port(port).replicaOf(replica).start()) {
                detachWhenInSync(promoted);

                here.awaitAllDone();
                assertThat(here.losses).contains(new RedisLossDetectedEvent(RestoreFixture.TOPIC, 0, Loss.SET_BACK));
                assertThat(here.delivered).hasSize(150).containsKeys(lost.toArray(String[]::new));
                assertThat(acked)
                        .allSatisfy(id -> assertThat(here.delivered.get(id)).hasValue(1));
            }
        } finally {
            primary.close();
        }
    }

    /** The backlog is sent before anybody looks: it must not make up for what is missing. */
    @EachDatabase({DatabaseKind.H2, DatabaseKind.POSTGRESQL, DatabaseKind.MARIADB})
    void sendingMoreDoesNotHideTheLoss(TestDatabase database) {
        EmbeddedRedis primary = EmbeddedRedis.start();
        try (EmbeddedRedis replica = EmbeddedRedis.builder().replicaOf(primary).start();
                RestoreFixture here = new RestoreFixture(database, primary.uri())) {
            here.relay.start();
            here.schedule("there", 20, Duration.ofHours(1));
            here.awaitSent();
            detachWhenInSync(replica);
            here.schedule("lost", 50, Duration.ofHours(1));
            here.awaitSent();
            int port = primary.port();
            primary.close();
            try (EmbeddedRedis promoted =
                    EmbeddedRedis.builder().port(port).replicaOf(replica).start()) {
                detachWhenInSync(promoted);
                here.schedule("more", 200, Duration.ofHours(1));
                RestoreFixture.await().ignoreExceptions().until(() -> here.scheduled() == 220);

                here.watch.start();

                RestoreFixture.await()
                        .ignoreExceptions()
                        .untilAsserted(() -> assertThat(here.scheduled()).isEqualTo(270));
                assertThat(here.losses)
                        .containsExactly(new RedisLossDetectedEvent(RestoreFixture.TOPIC, 0, Loss.SET_BACK));
            }
        } finally {
            primary.close();
        }
    }

    /** A takeover that lost nothing is none. */
    @EachDatabase(DatabaseKind.H2)
    void anotherServerWithEverythingIsNoLoss(TestDatabase database) {
        EmbeddedRedis primary = EmbeddedRedis.start();
        try (RestoreFixture here = new RestoreFixture(database, primary.uri())) {
            here.start();
            here.schedule("there", 20, Duration.ofHours(1));
            here.awaitSent();
            here.redis().save();
            primary.kill();
            primary.restart();

            here.schedule("more", 20, Duration.ofHours(1));
            here.awaitSent();
            here.awaitRedis();
            assertThat(here.scheduled()).isEqualTo(40);
            assertThat(here.losses).isEmpty();
        } finally {
            primary.close();
        }
    }

    /** A Sentinel promotes a replica whose connection to the primary was cut before the last writes. */
    @EachDatabase(DatabaseKind.POSTGRESQL)
    @Tag("slow")
    void aSentinelPromotesAReplicaThatLacksTheLastWrites(TestDatabase database) {
        EmbeddedRedis primary = EmbeddedRedis.start();
        try (EmbeddedRedis replica = EmbeddedRedis.builder().replicaOf(primary).start();
                EmbeddedSentinel sentinel = EmbeddedSentinel.watching(primary);
                RedisClient client = RedisClient.create();
                RestoreFixture here = new RestoreFixture(database, sentinel.uri())) {
            RedisCommands<String, String> watching = client.connect(RedisURI.create(sentinel.host(), sentinel.port()))
                    .sync();
            RestoreFixture.await().until(() -> watching.info("sentinel").contains("slaves=1"));
            here.start();
            List<String> acked = here.schedule("acked", 40, Duration.ZERO);
            here.schedule("later", 20, Duration.ofSeconds(5));
            here.awaitSent();
            RedisCommands<String, String> before =
                    client.connect(RedisURI.create(primary.uri())).sync();
            RedisCommands<String, String> after =
                    client.connect(RedisURI.create(replica.uri())).sync();
            RestoreFixture.await().until(() -> before.waitForReplication(1, 1_000) == 1);
            here.consume();
            // it can't log in again
            before.configSet("requirepass", "secret");
            before.clientKill(KillArgs.Builder.typeSlave());
            RestoreFixture.await().until(() -> after.info("replication").contains("master_link_status:down"));

            RestoreFixture.await().until(() -> here.recordedAcks.containsAll(acked));
            List<String> lost = here.schedule("lost", 30, Duration.ofSeconds(5));
            here.awaitSent();
            primary.kill();
            // the sentinel ends the connections of a replica that it promotes
            RestoreFixture.await()
                    .ignoreExceptionsInstanceOf(RedisException.class)
                    .until(() -> after.info("replication").contains("role:master"));

            here.awaitAllDone();
            assertThat(here.losses).contains(new RedisLossDetectedEvent(RestoreFixture.TOPIC, 0, Loss.SET_BACK));
            assertThat(here.delivered).hasSize(90).containsKeys(lost.toArray(String[]::new));
            assertThat(acked)
                    .allSatisfy(id -> assertThat(here.delivered.get(id)).hasValue(1));
        } finally {
            primary.close();
        }
    }

    private static void detachWhenInSync(EmbeddedRedis replica) {
        try (RedisClient client = RedisClient.create(replica.uri())) {
            RedisCommands<String, String> redis = client.connect().sync();
            RestoreFixture.await().until(() -> redis.info("replication").contains("master_link_status:up"));
            RestoreFixture.await().until(() -> redis.info("replication").contains("master_sync_in_progress:0"));
            redis.replicaofNoOne();
        }
    }
}
