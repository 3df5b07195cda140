package io.delayqueue.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.delayqueue.DelayQueueException;
import io.delayqueue.ReplicationTimeoutException;
import io.delayqueue.spring.DelayQueueOperations;
import io.delayqueue.spring.annotation.DelayQueueListener;
import io.delayqueue.spring.testsupport.Contexts;
import io.delayqueue.spring.testsupport.DocumentedUser;
import io.delayqueue.spring.testsupport.OrderPlaced;
import io.delayqueue.spring.testsupport.Received;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedSentinel;
import io.lettuce.core.RedisClient;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/** An application whose Redis is found through Sentinel. */
@Tag("slow")
class SentinelTests {

    private static final Duration SOON = Duration.ofSeconds(60);

    @Test
    void schedulesAndListensBeforeAndAfterAFailover() {
        try (EmbeddedRedis primary = EmbeddedRedis.builder()
                        .setting("repl-diskless-sync-delay", "0")
                        .start();
                EmbeddedRedis replica =
                        EmbeddedRedis.builder().replicaOf(primary).start()) {
            awaitReplicaOf(primary);
            DocumentedUser.create(primary, "+wait");
            DocumentedUser.create(replica, "+wait");
            try (EmbeddedSentinel sentinel = EmbeddedSentinel.watching(primary)) {
                createUserOf(sentinel);
                ApplicationContextRunner runner = Contexts.runner()
                        .withUserConfiguration(Listening.class)
                        .withPropertyValues(
                                "spring.data.redis.sentinel.master=" + EmbeddedSentinel.MASTER_NAME,
                                "spring.data.redis.sentinel.nodes=" + sentinel.host() + ":" + sentinel.port(),
                                "spring.data.redis.sentinel.username=lookup",
                                "spring.data.redis.sentinel.password=a-password",
                                "spring.data.redis.username=" + DocumentedUser.NAME,
                                "spring.data.redis.password=" + DocumentedUser.password(),
                                "delayqueue.wait-for-replicas.count=1",
                                "delayqueue.wait-for-replicas.timeout=5s");
                runner.run(context -> {
                    DelayQueueOperations template = context.getBean(DelayQueueOperations.class);
                    Received<OrderPlaced> received = context.getBean(Listening.class).received;
                    template.schedule("orders", order(1), Duration.ofMillis(50));
                    assertThat(received.first()).isEqualTo(order(1));
                    template.message("orders", order(2))
                            .id("survivor")
                            .delay(Duration.ofSeconds(3))
                            .schedule();
                    awaitReplicaKnown(sentinel);

                    primary.kill();

                    await().atMost(SOON).until(() -> received.all().contains(order(2)));
                    // without a replica the call fails, and the message is delivered nevertheless
                    await().atMost(SOON)
                            .ignoreExceptionsMatching(DelayQueueException.class::isInstance)
                            .untilAsserted(
                                    () -> assertThatThrownBy(() -> template.schedule("orders", order(3), Duration.ZERO))
                                            .isInstanceOf(ReplicationTimeoutException.class));
                    await().atMost(SOON).until(() -> received.all().contains(order(3)));
                    assertThat(replica.isRunning()).isTrue();
                    assertThat(DocumentedUser.denied(replica)).isEmpty();
                });
            }
        }
    }

    private static OrderPlaced order(int number) {
        return new OrderPlaced(number, "ann");
    }

    private static void awaitReplicaOf(EmbeddedRedis primary) {
        Contexts.runner(primary).run(context -> {
            try (RedisConnection connection =
                    context.getBean(RedisConnectionFactory.class).getConnection()) {
                await().atMost(SOON)
                        .until(() -> connection
                                .serverCommands()
                                .info("replication")
                                .getProperty("slave0", "")
                                .contains("state=online"));
            }
        });
    }

    /** May do what the documentation says that a Sentinel's user needs. */
    private static void createUserOf(EmbeddedSentinel sentinel) {
        RedisClient client = RedisClient.create(sentinel.uri());
        try (var connection = client.connectSentinel()) {
            CommandArgs<String, String> user = new CommandArgs<>(StringCodec.UTF8);
            for (String word :
                    "SETUSER lookup on >a-password +sentinel|get-master-addr-by-name +hello +ping".split(" ")) {
                user.add(word);
            }
            assertThat(connection.sync().dispatch(CommandType.ACL, new StatusOutput<>(StringCodec.UTF8), user))
                    .isEqualTo("OK");
        } finally {
            client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
        }
    }

    private static void awaitReplicaKnown(EmbeddedSentinel sentinel) {
        RedisClient client = RedisClient.create(sentinel.uri());
        try (var connection = client.connectSentinel()) {
            await().atMost(SOON)
                    .until(() -> connection.sync().slaves(EmbeddedSentinel.MASTER_NAME).stream()
                            .anyMatch(known -> "ok".equals(known.get("master-link-status"))));
        } finally {
            client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Listening {

        final Received<OrderPlaced> received = new Received<>();

        @DelayQueueListener(topic = "orders")
        void on(OrderPlaced order) {
            received.add(order);
        }
    }
}
