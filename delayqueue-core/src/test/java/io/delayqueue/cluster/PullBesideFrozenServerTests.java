package io.delayqueue.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.DelayQueueOptions;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.PullConsumer;
import io.delayqueue.PullOptions;
import io.delayqueue.PulledMessage;
import io.delayqueue.TopicOptions;
import io.delayqueue.internal.store.Partitioning;
import io.delayqueue.testsupport.TestCluster;
import io.delayqueue.testsupport.TestCluster.Node;
import io.delayqueue.testsupport.TestQueue;
import io.lettuce.core.cluster.RedisClusterClient;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** One of three primaries is silent: the messages of the others are received and settled meanwhile. */
class PullBesideFrozenServerTests {

    private static final String TOPIC = "orders";
    private static final int PARTITIONS = 6;

    private TestCluster cluster;
    private RedisClusterClient client;
    private DelayQueueClient queue;
    private Node frozen;

    @BeforeEach
    void start() {
        cluster = TestCluster.start(3, false);
        cluster.nodes().forEach(node -> {
            // it shall neither be taken for dead nor stop the others
            node.redis().configSet("cluster-node-timeout", "60000");
            node.redis().configSet("cluster-require-full-coverage", "no");
        });
        client = cluster.client();
        queue = DelayQueueClient.create(
                client,
                DelayQueueOptions.builder()
                        .guardInterval(Duration.ofMinutes(1))
                        .topic(
                                TOPIC,
                                TopicOptions.builder().partitions(PARTITIONS).build())
                        .build());
        frozen = cluster.primaryOf(key(0));
    }

    @AfterEach
    void stop() {
        try {
            frozen.resume();
            queue.close();
            client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
        } finally {
            cluster.close();
        }
    }

    @Test
    void messagesOfTheOtherServersAreReceivedAndAckedMeanwhile() {
        PullConsumer pull = queue.pullConsumer(
                TOPIC, PullOptions.builder().lease(Duration.ofMinutes(5)).build());
        assertThat(pull.receive(1, Duration.ofMillis(500))).isEmpty();
        List<OutgoingMessage> messages = IntStream.range(0, 120)
                .mapToObj(i -> OutgoingMessage.to(TOPIC)
                        .id("m" + i)
                        .payload(new byte[1])
                        .delay(Duration.ofSeconds(1).plusMillis(10L * i))
                        .build())
                .toList();
        // a busy machine takes its time to connect to each server
        TestQueue.await().ignoreExceptions().until(() -> queue.stats(TOPIC) != null);
        queue.scheduleAll(messages);
        Set<Integer> onFrozen = new HashSet<>();
        IntStream.range(0, PARTITIONS)
                .filter(number -> cluster.primaryOf(key(number)) == frozen)
                .forEach(onFrozen::add);
        List<String> others = messages.stream()
                .map(OutgoingMessage::id)
                .filter(id -> !onFrozen.contains(new Partitioning(TOPIC, PARTITIONS, false, List.of())
                        .of(id)
                        .number()))
                .toList();
        frozen.pause();

        Set<String> acked = new HashSet<>();
        while (!acked.containsAll(others)) {
            List<PulledMessage> received = pull.receive(3, Duration.ofSeconds(20));
            assertThat(received)
                    .as("after %s of %s", acked.size(), others.size())
                    .isNotEmpty();
            for (PulledMessage pulled : received) {
                assertThat(pull.ack(pulled.receipt())).isTrue();
                acked.add(pulled.message().id());
            }
        }

        assertThat(acked).as("the server was frozen").hasSameSizeAs(others).hasSizeLessThan(messages.size());
        frozen.resume();
        while (acked.size() < messages.size()) {
            for (PulledMessage pulled : pull.receive(10, Duration.ofSeconds(20))) {
                assertThat(pull.ack(pulled.receipt())).isTrue();
                acked.add(pulled.message().id());
            }
        }
        assertThat(queue.stats(TOPIC).totals().acked()).isEqualTo(messages.size());
    }

    private static String key(int partition) {
        return "dq:{" + TOPIC + ":" + partition + "}:meta";
    }
}
