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

    /** Lettuce begins with the first: a new connection would hang, and with it the replacement of the old one. */
    @Test
    void aServerThatIsSilentIsTheLastThatANewConnectionIsOpenedTo() {
        try (TestCluster cluster = TestCluster.start(3, false)) {
            RedisClusterClient client = cluster.client();
            Cluster servers = new Cluster(client);
            try (StatefulConnection<byte[], byte[]> connection = servers.connect()) {
                for (TestCluster.Node silent : cluster.nodes()) {
                    servers.lookAround(connection, silent.id(), Duration.ofSeconds(20))
                            .orTimeout(30, TimeUnit.SECONDS)
                            .join();

                    assertThat(client.getPartitions())
                            .extracting(RedisClusterNode::getNodeId)
                            .hasSize(3)
                            .endsWith(silent.id());
                }
            } finally {
                servers.close();
                client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
            }
        }
    }
}
