package io.delayqueue.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.DelayQueueOptions;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.RedisUnavailableException;
import io.delayqueue.TopicStats;
import io.delayqueue.testsupport.TestCluster;
import io.delayqueue.testsupport.TestCluster.Node;
import io.lettuce.core.cluster.RedisClusterClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Numbers of topics while one of three primaries is silent. */
@Tag("slow")
class SilentServerStatsTests {

    @Test
    void topicsOfTheOtherServersAreReachable() {
        try (TestCluster cluster = TestCluster.start(3, false)) {
            cluster.nodes().forEach(node -> {
                node.redis().configSet("cluster-node-timeout", "60000");
                node.redis().configSet("cluster-require-full-coverage", "no");
            });
            RedisClusterClient client = cluster.client();
            List<String> topics = new ArrayList<>();
            DelayQueueOptions options = DelayQueueOptions.builder()
                    .commandTimeout(Duration.ofSeconds(5))
                    .build();
            try (DelayQueueClient queue = DelayQueueClient.create(client, options)) {
                for (int i = 0; i < 30; i++) {
                    topics.add("orders" + i);
                    queue.schedule(OutgoingMessage.to("orders" + i)
                            .payload(new byte[1])
                            .delay(Duration.ofHours(1))
                            .build());
                }
                assertThat(queue.reachableStats(topics).keySet()).containsExactlyElementsOf(topics);
                Node silent = cluster.primaryOf("dq:{orders0:0}:meta");
                Set<String> silentTopics = topics.stream()
                        .filter(topic ->
                                cluster.primaryOf("dq:{" + topic + ":0}:meta").equals(silent))
                        .collect(Collectors.toSet());
                silent.pause();
                try {
                    assertThatThrownBy(() -> queue.stats(topics)).isInstanceOf(RedisUnavailableException.class);
                    Map<String, TopicStats> reachable = queue.reachableStats(topics);

                    assertThat(reachable.keySet())
                            .doesNotContainAnyElementsOf(silentTopics)
                            .hasSize(30 - silentTopics.size());
                    assertThat(reachable.values())
                            .allSatisfy(stats ->
                                    assertThat(stats.pending().scheduled()).isEqualTo(1));
                } finally {
                    silent.resume();
                }
            } finally {
                client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
            }
        }
    }
}
