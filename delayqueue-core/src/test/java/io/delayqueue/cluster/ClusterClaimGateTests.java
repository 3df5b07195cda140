package io.delayqueue.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.ConsumerOptions;
import io.delayqueue.DelayQueueClient;
import io.delayqueue.DelayQueueOptions;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.TopicOptions;
import io.delayqueue.internal.store.Partitioning;
import io.delayqueue.testsupport.TestCluster;
import io.delayqueue.testsupport.TestCluster.Node;
import io.lettuce.core.KillArgs;
import io.lettuce.core.cluster.RedisClusterClient;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A gate of a client on a Cluster is asked for those partitions whose server has another connection, and for no others. */
class ClusterClaimGateTests {

    private static final String TOPIC = "orders";
    private static final int PARTITIONS = 12;

    private static TestCluster cluster;

    private final Partitioning partitioning = new Partitioning(TOPIC, PARTITIONS, false, List.of());

    private final Map<Integer, AtomicInteger> asked = new ConcurrentHashMap<>();
    private final Set<String> handled = ConcurrentHashMap.newKeySet();
    private final RedisClusterClient client = cluster.client();
    private volatile CompletableFuture<Void> answer = CompletableFuture.completedFuture(null);
    private DelayQueueClient queue;
    private int sent;

    @BeforeAll
    static void startCluster() {
        cluster = TestCluster.start(3, false);
    }

    @AfterAll
    static void stopCluster() {
        cluster.close();
    }

    @BeforeEach
    void consume() {
        cluster.nodes().forEach(node -> node.redis().flushall());
        queue = DelayQueueClient.create(
                client,
                DelayQueueOptions.builder()
                        .claimGate((topic, partition) -> {
                            asked.computeIfAbsent(partition, part -> new AtomicInteger())
                                    .incrementAndGet();
                            return answer;
                        })
                        .guardInterval(Duration.ofMillis(50))
                        .commandTimeout(Duration.ofSeconds(10))
                        .topic(
                                TOPIC,
                                TopicOptions.builder().partitions(PARTITIONS).build())
                        .build());
        queue.subscribe(TOPIC, ConsumerOptions.defaults(), (message, delivery) -> handled.add(message.id()))
                .start();
        awaitHandled(schedule(120));
        assertThat(asked).hasSize(PARTITIONS);
    }

    @AfterEach
    void close() {
        queue.close();
        client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
        cluster.assertNothingDenied();
    }

    @Test
    void otherConnectionsOfTheApplicationMayClose() {
        Map<Integer, Integer> before = asked();
        for (int i = 0; i < 10; i++) {
            client.refreshPartitions();
            client.connect().close();
            client.connectPubSub().close();
            awaitHandled(schedule(24));
        }
        assertThat(asked()).isEqualTo(before);
    }

    @Test
    void onlyPartitionsOfTheServerWhoseConnectionBrokeAreAskedFor() {
        Node broken = cluster.primaryOf(key(0));
        Map<Integer, Integer> before = asked();
        answer = new CompletableFuture<>();
        assertThat(broken.redis().clientKill(KillArgs.Builder.typeNormal().skipme(true)))
                .isPositive();

        Set<Integer> its = partitionsOf(broken);
        assertThat(its).isNotEmpty().hasSizeLessThan(PARTITIONS);
        await().atMost(Duration.ofSeconds(30))
                .untilAsserted(() -> assertThat(asked())
                        .allSatisfy((partition, times) ->
                                assertThat(times > before.get(partition)).isEqualTo(its.contains(partition))));
        List<String> ids = schedule(120);
        List<String> open = ids.stream()
                .filter(id -> !its.contains(partitioning.of(id).number()))
                .toList();
        awaitHandled(open);
        assertThat(handled.stream().filter(ids::contains)).containsExactlyInAnyOrderElementsOf(open);
        answer.complete(null);
        awaitHandled(ids);
    }

    /** A message claimed from the other server may be an older state of the partition. */
    @Test
    void aPartitionThatHasMovedIsAskedFor() {
        Node from = cluster.primaryOf(key(3));
        Node to = cluster.nodes().stream()
                .filter(node -> node != from)
                .findFirst()
                .orElseThrow();
        Map<Integer, Integer> before = asked();

        cluster.moveSlotOf(key(3), to, () -> {});

        await().atMost(Duration.ofSeconds(30))
                .untilAsserted(() -> assertThat(asked().get(3)).isGreaterThan(before.get(3)));
        awaitHandled(schedule(120));
        assertThat(asked().entrySet().stream().filter(entry -> entry.getKey() != 3))
                .allSatisfy(entry -> assertThat(entry.getValue()).isEqualTo(before.get(entry.getKey())));
    }

    private List<String> schedule(int count) {
        List<String> ids =
                IntStream.range(sent, sent + count).mapToObj(String::valueOf).toList();
        sent += count;
        queue.scheduleAll(ids.stream()
                .map(id -> OutgoingMessage.to(TOPIC).id(id).payload(new byte[1]).build())
                .toList());
        return ids;
    }

    private void awaitHandled(List<String> ids) {
        await().atMost(Duration.ofSeconds(30))
                .untilAsserted(() -> assertThat(handled).containsAll(ids));
    }

    private Map<Integer, Integer> asked() {
        return asked.entrySet().stream()
                .collect(Collectors.toMap(
                        Map.Entry::getKey, entry -> entry.getValue().get()));
    }

    private static Set<Integer> partitionsOf(Node node) {
        return IntStream.range(0, PARTITIONS)
                .filter(partition -> cluster.primaryOf(key(partition)) == node)
                .boxed()
                .collect(Collectors.toSet());
    }

    private static String key(int partition) {
        return "dq:{" + TOPIC + ":" + partition + "}:meta";
    }
}
