package io.delayqueue.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.delayqueue.DelayQueueClient;
import io.delayqueue.ReplicationTimeoutException;
import io.delayqueue.spring.DelayQueueOperations;
import io.delayqueue.spring.annotation.DelayQueueListener;
import io.delayqueue.spring.startup.StartupCheckException;
import io.delayqueue.spring.startup.StartupChecks;
import io.delayqueue.spring.testsupport.Contexts;
import io.delayqueue.spring.testsupport.DocumentedUser;
import io.delayqueue.spring.testsupport.Received;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisException;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.cluster.SlotHash;
import java.io.IOException;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.slf4j.LoggerFactory;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** The application's own {@code spring.data.redis.cluster.*}. */
@Tag("slow")
@ExtendWith(OutputCaptureExtension.class)
class RedisClusterTests {

    private static final int SLOTS = SlotHash.SLOT_COUNT;

    /** The cluster bus listens so far above. */
    private static final int BUS_OFFSET = 10_000;

    private final Logger logger = (Logger) LoggerFactory.getLogger(StartupChecks.class);

    private EmbeddedRedis server;
    private EmbeddedRedis another;

    @BeforeEach
    void startClusterOfTwo() {
        server = startServer();
        another = startServer();
        RedisClient client = RedisClient.create();
        try {
            RedisCommands<String, String> first =
                    client.connect(RedisURI.create(server.uri())).sync();
            RedisCommands<String, String> second =
                    client.connect(RedisURI.create(another.uri())).sync();
            first.clusterAddSlots(IntStream.range(0, SLOTS / 2).toArray());
            second.clusterAddSlots(IntStream.range(SLOTS / 2, SLOTS).toArray());
            first.clusterMeet("127.0.0.1", another.port());
            for (RedisCommands<String, String> each : List.of(first, second)) {
                await().atMost(Duration.ofSeconds(30)).until(() -> {
                    String info = each.clusterInfo();
                    return info.contains("cluster_state:ok") && info.contains("cluster_size:2");
                });
            }
        } finally {
            client.shutdown(0, 1, TimeUnit.SECONDS);
        }
        logger.setLevel(Level.INFO);
    }

    /** On a port that is free, as is that of its bus. Another process may take one meanwhile. */
    private static EmbeddedRedis startServer() {
        for (int attempt = 1; ; attempt++) {
            int port = ThreadLocalRandom.current().nextInt(12_000, 22_000);
            if (!isFree(port + BUS_OFFSET)) {
                continue;
            }
            try {
                return EmbeddedRedis.builder()
                        .port(port)
                        .setting("cluster-enabled", "yes")
                        .setting("cluster-announce-ip", "127.0.0.1")
                        .setting("cluster-require-full-coverage", "no")
                        .start();
            } catch (EmbeddedRedisException e) {
                if (attempt >= 20) {
                    throw e;
                }
            }
        }
    }

    private static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket(port)) {
            return socket.isBound();
        } catch (IOException e) {
            return false;
        }
    }

    @AfterEach
    void stop() {
        logger.setLevel(null);
        server.close();
        another.close();
    }

    @Test
    void scheduledMessagesReachTheListener() {
        runner().withPropertyValues("delayqueue.topics.work.partitions=4")
                .withBean(Listener.class)
                .run(context -> {
                    DelayQueueOperations operations = context.getBean(DelayQueueOperations.class);
                    IntStream.range(0, 20).forEach(i -> operations.schedule("work", "m" + i, Duration.ofMillis(5)));

                    assertThat(context.getBean(Listener.class).received.await(20))
                            .contains("m0", "m19");
                    await().until(() -> context.getBean(DelayQueueClient.class)
                                    .stats("work")
                                    .totals()
                                    .acked()
                            == 20);
                });
    }

    @Test
    void missingReplicasFailTheScheduleCall() {
        runner().withPropertyValues(
                        "delayqueue.wait-for-replicas.count=1", "delayqueue.wait-for-replicas.timeout=100ms")
                .run(context -> assertThatThrownBy(() ->
                                context.getBean(DelayQueueOperations.class).schedule("work", "m", Duration.ofHours(1)))
                        .isInstanceOf(ReplicationTimeoutException.class));
    }

    @Test
    void findingsNameTheirNodeAndAnUnavailableNodeIsCheckedLater(CapturedOutput output) {
        another.kill();
        runner().withPropertyValues("delayqueue.guard-interval=100ms", "delayqueue.command-timeout=5s")
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThat(output)
                            .contains("Starting without a part of the Redis Cluster")
                            .contains("these nodes of the Redis Cluster are unavailable: [127.0.0.1:" + another.port())
                            .containsOnlyOnce("127.0.0.1:" + server.port() + ": Redis has no persistence");
                    another.restart();
                    await().atMost(Duration.ofSeconds(30))
                            .until(() -> output.toString().contains("Redis answers now"));
                });
        assertThat(output)
                .containsOnlyOnce("Starting without a part of the Redis Cluster")
                .containsOnlyOnce("127.0.0.1:" + server.port() + ": Redis has no persistence")
                .containsOnlyOnce("127.0.0.1:" + another.port() + ": Redis has no persistence");
    }

    @Test
    void missingPermissionToListTheNodesFailsTheStartAndIsNamed() {
        DocumentedUser.create(server, "+asking");
        DocumentedUser.create(another, "+asking");
        runner().withPropertyValues(
                        "spring.data.redis.username=" + DocumentedUser.NAME,
                        "spring.data.redis.password=" + DocumentedUser.password())
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .isInstanceOf(StartupCheckException.class)
                        .hasMessage("The Redis user lacks permissions that the delay queue needs: cluster|nodes."));
    }

    private ApplicationContextRunner runner() {
        return Contexts.runner().withPropertyValues("spring.data.redis.cluster.nodes=127.0.0.1:" + server.port());
    }

    static class Listener {

        final Received<String> received = new Received<>();

        @DelayQueueListener(topic = "work")
        void handle(String payload) {
            received.add(payload);
        }
    }
}
