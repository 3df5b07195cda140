package io.delayqueue.internal.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.testsupport.TestCluster;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ClusterTopologyTests {

    /** Lettuce starts at the first server of its list: if that one is silent, the new connection hangs. */
    @Test
    void aNewConnectionStartsAtTheSilentServerLast() {
        try (TestCluster cluster = TestCluster.start(3, false)) {
            RedisClusterClient client = cluster.client();
            Cluster topology = new Cluster(client);
            try (StatefulConnection<byte[], byte[]> connection = topology.connect()) {
                for (TestCluster.Node silent : cluster.nodes()) {
                    topology.refreshExcluding(silent.id(), connection, Duration.ofSeconds(20))
                            .orTimeout(30, TimeUnit.SECONDS)
                            .join();

                    assertThat(client.getPartitions())
                            .extracting(RedisClusterNode::getNodeId)
                            .hasSize(3)
                            .endsWith(silent.id());
                }
            } finally {
                topology.close();
                client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
            }
        }
    }
}
