package io.delayqueue.benchmarks.servers;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.IntStream;

/** A Cluster of primaries without replicas, with equal shares of the slots. */
public final class RedisCluster implements Server {

    private static final int SLOTS = 16_384;
    private static final int ATTEMPTS = 20;

    private final List<RedisServer> nodes = new ArrayList<>();

    private RedisCluster() {}

    /** Starts this number of primaries and waits until the Cluster is ready. */
    public static RedisCluster start(int primaries) {
        RedisCluster cluster = new RedisCluster();
        try {
            while (cluster.nodes.size() < primaries) {
                cluster.nodes.add(startNode());
            }
            cluster.join();
            return cluster;
        } catch (RuntimeException e) {
            cluster.close();
            throw e;
        }
    }

    /** A node's bus listens 10,000 above its port: both stay below the range of ephemeral ports. */
    private static RedisServer startNode() {
        for (int attempt = 1; ; attempt++) {
            try {
                return RedisServer.startForCluster(ThreadLocalRandom.current().nextInt(12_000, 22_000));
            } catch (RuntimeException e) {
                if (attempt == ATTEMPTS) {
                    throw e;
                }
            }
        }
    }

    private void join() {
        RedisServer first = nodes.get(0);
        for (int i = 0; i < nodes.size(); i++) {
            int[] slots = IntStream.range(SLOTS * i / nodes.size(), SLOTS * (i + 1) / nodes.size())
                    .toArray();
            nodes.get(i).commands().clusterAddSlots(slots);
            first.commands().clusterMeet(nodes.get(i).host(), nodes.get(i).port());
        }
        for (int i = 0; i < 600; i++) {
            if (nodes.stream().allMatch(this::knowsAll)) {
                return;
            }
            Pause.millis(50);
        }
        throw new IllegalStateException("the Cluster is not ready after 30 s");
    }

    private boolean knowsAll(RedisServer node) {
        String info = node.commands().clusterInfo();
        return info.contains("cluster_state:ok") && info.contains("cluster_known_nodes:" + nodes.size());
    }

    @Override
    public String address() {
        return nodes.get(0).address();
    }

    @Override
    public String description() {
        return nodes.size() + " primaries of " + nodes.get(0).description();
    }

    @Override
    public void flush() {
        nodes.forEach(RedisServer::flush);
    }

    @Override
    public void keep(Durability durability) {
        nodes.forEach(node -> node.keep(durability));
    }

    @Override
    public Usage usage() {
        return nodes.stream().map(RedisServer::usage).reduce(Usage.NONE, Usage::plus);
    }

    @Override
    public void close() {
        nodes.forEach(RedisServer::close);
    }
}
