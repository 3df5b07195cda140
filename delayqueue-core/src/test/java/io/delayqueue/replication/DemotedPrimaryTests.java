package io.delayqueue.replication;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.delayqueue.ConsumerOptions;
import io.delayqueue.DelayQueueClient;
import io.delayqueue.DelayQueueOptions;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.RedisUnavailableException;
import io.delayqueue.Subscription;
import io.delayqueue.TopicStats;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.testsupport.DocumentedUser;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** A primary becomes a replica by REPLICAOF, its connections left open: each loop meets READONLY and recovers by itself. */
class DemotedPrimaryTests {

    private static final String TOPIC = "orders";
    private static final Duration SOON = Duration.ofSeconds(25);

    @Test
    void everyLoopReconnectsAndRecovers() throws Exception {
        Set<String> handled = ConcurrentHashMap.newKeySet();
        Semaphore holdingEnds = new Semaphore(0);
        try (EmbeddedRedis server = DocumentedUser.on(EmbeddedRedis.builder()).start()) {
            RedisClient admin = RedisClient.create(server.uri());
            RedisCommands<String, String> redis = admin.connect().sync();
            RedisClient client = RedisClient.create(DocumentedUser.uri(server.uri()));
            DelayQueueClient queue = DelayQueueClient.create(
                    client,
                    DelayQueueOptions.builder()
                            .guardInterval(Duration.ofHours(1))
                            .shutdownTimeout(Duration.ofMillis(100))
                            .build());
            try (queue) {
                Subscription subscription = queue.subscribe(
                        TOPIC,
                        ConsumerOptions.builder().lease(Duration.ofSeconds(12)).build(),
                        (message, delivery) -> {
                            handled.add(message.id());
                            if (message.id().startsWith("held")) {
                                assertThat(holdingEnds.tryAcquire(25, TimeUnit.SECONDS))
                                        .isTrue();
                            }
                        });
                subscription.start();
                // the first connection of a JVM may take longer than a command
                await().atMost(SOON).ignoreExceptions().until(() -> queue.topics() != null);
                queue.schedule(message("held-settled", Duration.ZERO));
                queue.schedule(message("held-renewed", Duration.ZERO));
                await().atMost(SOON).until(() -> handled.size() == 2);
                queue.schedule(message("due-while-demoted", Duration.ofSeconds(2)));
                double lease = redis.zscore("dq:{orders:0}:leased", "held-renewed");
                Set<String> before = connections(redis);

                redis.replicaof("127.0.0.1", 1);
                assertThatThrownBy(() -> queue.schedule(message("refused", Duration.ZERO)))
                        .isInstanceOf(RedisUnavailableException.class)
                        .hasMessageContaining("READONLY");
                holdingEnds.release(1); // its ack meets READONLY, too
                // commands and wake-ups both have newer connections, each time
                await().atMost(SOON).until(() -> connections(redis).stream().noneMatch(before::contains));
                await().atMost(SOON).until(() -> !subscription.isHealthy());
                assertThat(handled).doesNotContain("due-while-demoted");
                redis.replicaofNoOne();

                await().atMost(SOON).until(() -> handled.contains("due-while-demoted"));
                await().atMost(SOON).until(() -> queue.stats(TOPIC).totals().acked() == 2);
                await().atMost(SOON)
                        .until(() -> redis.zrangeWithScores("dq:{orders:0}:leased", 0, -1)
                                        .get(0)
                                        .getScore()
                                > lease);
                holdingEnds.release(1);
                await().atMost(SOON).until(() -> queue.stats(TOPIC).totals().acked() == 3);

                // only a wake-up can deliver it before the guard interval is over
                await().atMost(SOON)
                        .until(() -> redis.pubsubNumsub("dq:{orders:0}").containsValue(1L));
                queue.schedule(message("woken", Duration.ofMillis(100)));
                await().atMost(SOON).until(() -> queue.stats(TOPIC).totals().acked() == 4);
                TopicStats stats = queue.stats(TOPIC);
                assertThat(stats.unaccounted()).isZero();
                assertThat(stats.totals().accepted()).isEqualTo(4);
                assertThat(stats.totals().retried()).isZero();
                assertThat(handled).doesNotContain("refused");
                DocumentedUser.assertNothingDenied(redis);
            } finally {
                client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
                admin.shutdown(Duration.ZERO, Duration.ofSeconds(2));
            }
        }
    }

    private static OutgoingMessage message(String id, Duration delay) {
        return OutgoingMessage.to(TOPIC)
                .id(id)
                .payload(new byte[1])
                .delay(delay)
                .build();
    }

    /** Ids of the server's client connections, except the asking one. */
    private static Set<String> connections(RedisCommands<String, String> redis) {
        String own = "id=" + redis.clientId();
        return redis.clientList()
                .lines()
                .map(line -> line.substring(0, line.indexOf(' ')))
                .filter(id -> !id.equals(own))
                .collect(Collectors.toSet());
    }
}
