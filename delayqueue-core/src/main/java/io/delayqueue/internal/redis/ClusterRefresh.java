package io.delayqueue.internal.redis;

import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.models.partitions.ClusterPartitionParser;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the client's list of a Cluster's servers up to date. Unless the user turned Lettuce's own refresh on, the client would
 * stay with the list that it read first.
 */
final class ClusterRefresh {

    private static final Logger log = LoggerFactory.getLogger(ClusterRefresh.class);

    /** A failover makes every command under way ask for a refresh: one serves them all. */
    private static final long MIN_INTERVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private final RedisClusterClient client;
    private final AtomicLong lastRefresh = new AtomicLong(System.nanoTime() - MIN_INTERVAL_NANOS);

    ClusterRefresh(RedisClusterClient client) {
        this.client = client;
    }

    /** Reads the list again, unless that was done just now; does not block. */
    void refresh() {
        long last = lastRefresh.get();
        long now = System.nanoTime();
        if (now - last < MIN_INTERVAL_NANOS || !lastRefresh.compareAndSet(last, now)) {
            return;
        }
        client.refreshPartitionsAsync().whenComplete((done, error) -> {
            if (error != null) {
                log.debug("Can't list the Cluster's servers for now: {}", ErrorText.of(error));
            }
        });
    }

    /**
     * Reads the list from any server but the silent one, and takes the first answer. Lettuce's own refresh waits for all servers,
     * for a minute by default.
     */
    CompletableFuture<Void> refreshExcluding(
            Object silentServer, StatefulConnection<byte[], byte[]> connection, Duration timeout) {
        CompletableFuture<String> first = new CompletableFuture<>();
        for (RedisClusterNode node : Cluster.primaries(connection)) {
            if (!node.getNodeId().equals(silentServer)) {
                ((StatefulRedisClusterConnection<byte[], byte[]>) connection)
                        .getConnectionAsync(
                                node.getUri().getHost(), node.getUri().getPort())
                        .thenCompose(one -> one.async().clusterNodes())
                        .thenAccept(first::complete);
            }
        }
        return first.completeOnTimeout("", timeout.toMillis(), TimeUnit.MILLISECONDS)
                .thenAccept(nodes -> update(nodes, silentServer))
                .exceptionally(error -> {
                    log.debug("Can't read the list of the Cluster's servers: {}", ErrorText.of(error));
                    return null;
                });
    }

    /** Puts the silent server last: a new connection starts at the first server of the list. */
    private void update(String nodes, Object silentServer) {
        if (nodes.isEmpty()) {
            return;
        }
        RedisURI login = client.getPartitions().getPartition(0).getUri();
        List<RedisClusterNode> all =
                new ArrayList<>(ClusterPartitionParser.parse(nodes).getPartitions());
        all.sort(Comparator.comparing(node -> node.getNodeId().equals(silentServer)));
        for (RedisClusterNode node : all) {
            RedisURI address = node.getUri();
            node.setUri(RedisURI.builder(login)
                    .withHost(address.getHost())
                    .withPort(address.getPort())
                    .build());
        }
        client.getPartitions().reload(all);
    }
}
