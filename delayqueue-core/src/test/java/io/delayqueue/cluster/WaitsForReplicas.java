package io.delayqueue.cluster;

import static org.awaitility.Awaitility.await;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.DelayQueueException;
import io.delayqueue.DelayQueueOptions;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.ScheduleOutcome;
import io.delayqueue.TopicOptions;
import io.delayqueue.testsupport.TestCluster;
import io.delayqueue.testsupport.TestCluster.Node;
import io.lettuce.core.cluster.RedisClusterClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;

/** A Cluster with a replica of each primary, and delay queues that wait for replicas. */
abstract class WaitsForReplicas {

    static final String TOPIC = "orders";
    static final int PARTITIONS = 12;
    static final Duration SHORT = Duration.ofMillis(300);
    static final Duration LONG = Duration.ofSeconds(20);

    static TestCluster cluster;

    final RedisClusterClient client = cluster.client();
    final List<DelayQueueClient> queues = new ArrayList<>();

    @BeforeAll
    static void startCluster() {
        cluster = TestCluster.start(3, true);
    }

    @AfterAll
    static void stopCluster() {
        cluster.close();
    }

    @BeforeEach
    void empty() {
        cluster.nodes().stream()
                .filter(Node::isPrimary)
                .forEach(node -> node.redis().flushall());
        cluster.nodes().forEach(node -> node.redis().configResetstat());
    }

    @AfterEach
    void close() {
        cluster.nodes().forEach(node -> node.resume());
        queues.forEach(DelayQueueClient::close);
        client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
        cluster.awaitReplicasInSync();
        cluster.assertNothingDenied();
    }

    DelayQueueClient waiting(int count, Duration timeout) {
        return open(options -> options.waitForReplicas(count, timeout).commandTimeout(Duration.ofSeconds(10)));
    }

    DelayQueueClient open(UnaryOperator<DelayQueueOptions.Builder> options) {
        DelayQueueClient queue = DelayQueueClient.create(
                client,
                options.apply(DelayQueueOptions.builder()
                                .shutdownTimeout(Duration.ofMillis(100))
                                .topic(
                                        TOPIC,
                                        TopicOptions.builder()
                                                .partitions(PARTITIONS)
                                                .build()))
                        .build());
        queues.add(queue);
        return queue;
    }

    static OutgoingMessage later(String id) {
        return message(TOPIC, id);
    }

    static OutgoingMessage message(String topic, String id) {
        return OutgoingMessage.to(topic)
                .id(id)
                .payload(new byte[] {1})
                .delay(Duration.ofHours(1))
                .build();
    }

    static OutgoingMessage samePartition(OutgoingMessage message) {
        return IntStream.iterate(0, i -> i + 1)
                .mapToObj(i -> later("like-" + message.id() + i))
                .filter(other -> keyOf(other).equals(keyOf(message)))
                .findFirst()
                .orElseThrow();
    }

    static String keyOf(OutgoingMessage message) {
        int number = new io.delayqueue.internal.store.Partitioning(TOPIC, PARTITIONS, false, List.of())
                .of(message.id())
                .number();
        return "dq:{" + TOPIC + ":" + number + "}:messages";
    }

    static Node serverOf(OutgoingMessage message) {
        return cluster.primaryOf(keyOf(message));
    }

    static boolean isAtReplica(OutgoingMessage message) {
        Node replica = cluster.replicaOf(serverOf(message));
        replica.redis().readOnly();
        return replica.redis().hexists(keyOf(message), message.id());
    }

    static Object outcome(DelayQueueClient queue, OutgoingMessage message) {
        try {
            ScheduleOutcome outcome = queue.schedule(message).outcome();
            return outcome;
        } catch (DelayQueueException e) {
            return e;
        }
    }

    static long waitsUnderWay(Node node) {
        return node.redis()
                .clientList()
                .lines()
                .filter(line -> line.contains(" cmd=wait ") && line.matches(".* flags=\\S*b\\S* .*"))
                .count();
    }

    static ConditionFactory soon() {
        return await().atMost(Duration.ofSeconds(30)).pollInterval(Duration.ofMillis(20));
    }
}
