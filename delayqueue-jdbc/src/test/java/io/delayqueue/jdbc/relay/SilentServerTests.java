package io.delayqueue.jdbc.relay;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.DelayQueueOptions;
import io.delayqueue.OutboxOptions;
import io.delayqueue.jdbc.testsupport.RedisCluster;
import io.delayqueue.jdbc.testsupport.database.DatabaseKind;
import io.delayqueue.jdbc.testsupport.database.EachDatabase;
import io.delayqueue.jdbc.testsupport.database.TestDatabase;
import io.delayqueue.test.EmbeddedRedis;
import io.lettuce.core.cluster.RedisClusterClient;
import java.time.Duration;
import org.junit.jupiter.api.Tag;

/** One server of a Cluster is silent, and nothing takes over from it. */
@Tag("slow")
class SilentServerTests {

    /** A relay asks it for the time, unless it has another one to ask. */
    @EachDatabase(DatabaseKind.H2)
    void changesForOtherServersAreSentWhileTheOneWithTheTopicsNamesIsSilent(TestDatabase database) {
        OutboxFixture rows = new OutboxFixture(database);
        try (RedisCluster cluster = RedisCluster.start()) {
            EmbeddedRedis silent = cluster.serverOf("dq:topics");
            RedisClusterClient lettuce = cluster.client();
            DelayQueueOptions options = DelayQueueOptions.builder()
                    .commandTimeout(Duration.ofSeconds(5))
                    .build();
            try (DelayQueueClient client = DelayQueueClient.create(lettuce, options);
                    Relay relay = new Relay(
                            rows.database,
                            client.outbox(OutboxOptions.DEFAULTS),
                            new OutboxListener() {},
                            OutboxSettings.DEFAULTS)) {
                relay.start();
                rows.scheduled(1, "before");
                OutboxFixture.await().until(() -> rows.outboxRows() == 0);
                silent.pause();
                int other =
                        cluster.numbers(1, silent, false, "dq:{topic", ":0}").get(0);
                rows.scheduled(10, "after");
                rows.moveTo("topic" + other);

                OutboxFixture.await().until(() -> rows.outboxRows() == 0);
                assertThat(client.find("topic" + other, "after0")).isPresent();
            } finally {
                silent.resume();
                lettuce.shutdown(Duration.ZERO, Duration.ofSeconds(2));
            }
        }
    }
}
