package io.delayqueue.internal.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.DelayQueueOptions;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.RedisUnavailableException;
import io.delayqueue.internal.store.Partition;
import io.delayqueue.testsupport.TestCluster;
import io.delayqueue.testsupport.TestCluster.Node;
import io.lettuce.core.ClientListArgs;
import io.lettuce.core.cluster.RedisClusterClient;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.stream.IntStream;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** One server of a Cluster is silent for a while: the channels of the others are left alone, but for one new connection. */
class SilentServerSubscriptionsTests {

    private static final int TOPICS = 12;
    private static final Duration TIMEOUT = Duration.ofMillis(300);

    /** Time for several commands without an answer, one after the other. */
    private static final int UNANSWERED = 16;

    private final AtomicIntegerArray wakeUps = new AtomicIntegerArray(TOPICS);
    private TestCluster cluster;
    private RedisClusterClient client;
    private RedisMessageStore store;
    private Node silent;

    @BeforeEach
    void start() {
        cluster = TestCluster.start(3, false);
        cluster.nodes().forEach(node -> {
            // it shall neither be taken for dead nor stop the others
            node.redis().configSet("cluster-node-timeout", "60000");
            node.redis().configSet("cluster-require-full-coverage", "no");
        });
        client = cluster.client();
        store = RedisMessageStore.create(
                client, DelayQueueOptions.builder().commandTimeout(TIMEOUT).build());
        silent = cluster.primaryOf(key(partition(0)));
    }

    @AfterEach
    void stop() {
        try {
            silent.resume();
            store.close();
            client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
        } finally {
            cluster.close();
        }
    }

    @Test
    void channelsOfTheOtherServersMoveToOneNewConnectionAtMost() {
        // the first attempts may be over before there is a connection
        soon().ignoreExceptions().until(() -> store.time(partition(0)).get() > 0);
        for (int i = 0; i < TOPICS; i++) {
            int topic = i;
            store.listen(partition(i), wait -> wakeUps.incrementAndGet(topic));
        }
        soon().until(() -> IntStream.range(0, TOPICS).allMatch(i -> wakeUps.get(i) > 0));
        AtomicInteger confirmed = new AtomicInteger();
        Map<Node, Set<String>> connections = new HashMap<>();

        silent.pause();
        // a channel that the silent server does not confirm
        store.listen(partitionOf(silent), wait -> confirmed.incrementAndGet());
        for (int i = 0; i < UNANSWERED; i++) {
            assertThat(store.time(partition(0)))
                    .failsWithin(Duration.ofSeconds(20))
                    .withThrowableThat()
                    .withCauseInstanceOf(RedisUnavailableException.class);
            cluster.nodes().stream()
                    .filter(node -> node != silent)
                    .forEach(node -> connections
                            .computeIfAbsent(node, none -> new HashSet<>())
                            .addAll(subscribedTo(node)));
        }

        assertThat(connections.values())
                .as("wake-up connections to each other server")
                .anySatisfy(ids -> assertThat(ids).isNotEmpty())
                .allSatisfy(ids -> assertThat(ids).hasSizeLessThanOrEqualTo(2));
        silent.resume();
        soon().until(() -> confirmed.get() > 0);
        int before = wakeUps.get(0);
        soon().ignoreExceptions()
                .until(() -> !store.schedule(partition(0), List.of(message()))
                        .get()
                        .outcomes()
                        .isEmpty());
        soon().until(() -> wakeUps.get(0) > before);
    }

    /** Ids of the connections that are subscribed to channels of a server. */
    private static List<String> subscribedTo(Node node) {
        return node.redis()
                .clientList(ClientListArgs.Builder.typePubsub())
                .lines()
                .map(line -> line.substring(0, line.indexOf(' ')))
                .toList();
    }

    /** A partition of a topic that nobody uses yet. */
    private Partition partitionOf(Node node) {
        return IntStream.range(0, 1_000)
                .mapToObj(i -> Partition.only("another" + i))
                .filter(partition -> cluster.primaryOf(key(partition)) == node)
                .findFirst()
                .orElseThrow();
    }

    private static Partition partition(int topic) {
        return Partition.only("topic" + topic);
    }

    private static String key(Partition partition) {
        return "dq:{" + partition.topic() + ":" + partition.number() + "}:meta";
    }

    private static OutgoingMessage message() {
        return OutgoingMessage.to(partition(0).topic()).payload(new byte[1]).build();
    }

    private static ConditionFactory soon() {
        return await().atMost(Duration.ofSeconds(30));
    }
}
