package io.delayqueue.jdbc.restore;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.TopicStats;
import io.delayqueue.jdbc.testsupport.OutboxApplication;
import io.delayqueue.jdbc.testsupport.RedisCluster;
import io.delayqueue.jdbc.testsupport.database.DatabaseKind;
import io.delayqueue.jdbc.testsupport.database.EachDatabase;
import io.delayqueue.jdbc.testsupport.database.TestDatabase;
import io.delayqueue.spring.annotation.DelayQueueListener;
import io.delayqueue.test.EmbeddedRedis;
import io.lettuce.core.KillArgs;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.springframework.context.PayloadApplicationEvent;

/** A replica takes over for a server of a Cluster, and lacks the last writes; an application works on all servers meanwhile. */
@Tag("slow")
class FailoverOfAClusterTests {

    private static final String TOPIC = "orders";
    private static final int COUNT = 60;

    private final RedisCluster cluster = RedisCluster.start();
    private final EmbeddedRedis primary = cluster.serverOf("dq:{orders:1}");
    private final EmbeddedRedis replica = cluster.addReplica(primary);
    private final RedisClient admin = RedisClient.create();

    @AfterEach
    void close() {
        admin.shutdown(Duration.ZERO, Duration.ofSeconds(2));
        cluster.close();
    }

    @EachDatabase(DatabaseKind.POSTGRESQL)
    void whatWasLostComesBackAndWhatEndedDoesNot(TestDatabase database) {
        Queue<RedisLossDetectedEvent> losses = new ConcurrentLinkedQueue<>();
        try (OutboxApplication application = new OutboxApplication(
                database,
                primary,
                context -> {
                    context.registerBean(Counter.class);
                    context.registerBean(RestoreSettings.class, () -> patientGate());
                },
                "spring.data.redis.cluster.nodes=" + cluster.nodes(),
                "delayqueue.topics." + TOPIC + ".partitions=6")) {
            application.context().addApplicationListener(event -> {
                if (event instanceof PayloadApplicationEvent<?> told
                        && told.getPayload() instanceof RedisLossDetectedEvent loss) {
                    losses.add(loss);
                }
            });
            schedule(application, "later", Duration.ofHours(1));
            // the replica has these when they are handled
            schedule(application, "handled", Duration.ofSeconds(4));
            RedisCommands<String, String> before = connect(primary);
            RestoreFixture.await().until(() -> before.waitForReplication(1, 1_000) == 1);
            RedisCommands<String, String> after = connect(replica);
            // it can't log in again
            after.configSet("masterauth", "unknown");
            before.clientKill(KillArgs.Builder.typeSlave());
            RestoreFixture.await().until(() -> after.info("replication").contains("master_link_status:down"));
            schedule(application, "lost", Duration.ofHours(1));
            schedule(application, "lost and handled", Duration.ZERO);
            RestoreFixture.await().until(() -> acked(application) == 2 * COUNT);

            primary.kill();
            // no majority has to find out first that the primary is gone
            after.clusterFailover(false, true);

            RestoreFixture.await().ignoreExceptions().untilAsserted(() -> {
                TopicStats stats = application.client().stats(TOPIC);
                assertThat(stats.pending().scheduled()).isEqualTo(2 * COUNT);
                assertThat(stats.unaccounted()).isZero();
            });
            JournalRestore restore = application.context().getBean(JournalRestore.class);
            RestoreFixture.await().until(() -> restore.losses().isEmpty());
            assertThat(losses).isNotEmpty().allSatisfy(loss -> {
                assertThat(loss.loss()).isEqualTo(Loss.SET_BACK);
                assertThat(cluster.serverOf("dq:{" + TOPIC + ":" + loss.partition() + "}"))
                        .isSameAs(primary);
            });
            assertThat(application.context().getBean(Counter.class).calls)
                    .hasSize(2 * COUNT)
                    .allSatisfy((payload, calls) -> assertThat(calls).hasValue(1));
        }
    }

    /** A busy machine may need longer to find the new primary than claims wait for a look by default. */
    private static RestoreSettings patientGate() {
        RestoreSettings defaults = RestoreSettings.DEFAULTS;
        return new RestoreSettings(
                defaults.mode(),
                defaults.rate(),
                Duration.ofMillis(300),
                defaults.compareInterval(),
                defaults.holdTimeout(),
                Duration.ofSeconds(30),
                defaults.settleTime());
    }

    private RedisCommands<String, String> connect(EmbeddedRedis server) {
        return admin.connect(RedisURI.create(server.uri())).sync();
    }

    private static void schedule(OutboxApplication application, String payload, Duration delay) {
        application
                .template()
                .scheduleAll(
                        TOPIC,
                        IntStream.range(0, COUNT)
                                .mapToObj(i -> payload + " " + i)
                                .toList(),
                        delay);
        RestoreFixture.await().until(() -> application.outboxRows() == 0);
    }

    private static int acked(OutboxApplication application) {
        return application
                .jdbc()
                .sql("SELECT COUNT(*) FROM delayqueue_message WHERE status = 'ACKED'")
                .query(Integer.class)
                .single();
    }

    /** Counts calls by payload. */
    static final class Counter {

        private final Map<String, AtomicInteger> calls = new ConcurrentHashMap<>();

        @DelayQueueListener(topic = TOPIC)
        void handle(String payload) {
            calls.computeIfAbsent(payload, any -> new AtomicInteger()).incrementAndGet();
        }
    }
}
