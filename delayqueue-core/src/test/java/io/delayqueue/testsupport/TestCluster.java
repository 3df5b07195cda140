package io.delayqueue.testsupport;

import static org.awaitility.Awaitility.await;

import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisException;
import io.lettuce.core.MigrateArgs;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.models.partitions.ClusterPartitionParser;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import java.io.IOException;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.awaitility.core.ConditionFactory;

/** A Cluster of local servers. */
public final class TestCluster implements AutoCloseable {

    /** The cluster bus listens 10,000 above, below the ephemeral ports of the system. */
    private static final int LOWEST_PORT = 12_000;

    private static final int HIGHEST_PORT = 22_000;
    private static final int BUS_OFFSET = 10_000;

    /** A server that is silent for so long is taken for dead, and its replica takes over: longer than a busy machine stalls. */
    private static final String NODE_TIMEOUT_MILLIS = "3000";

    /** Where nothing can take over, a server that is taken for dead stops the others: longer than tests pause one. */
    private static final String NODE_TIMEOUT_MILLIS_WITHOUT_REPLICAS = "15000";

    private final List<Node> nodes = new ArrayList<>();
    private final RedisClient admin = RedisClient.create();

    private TestCluster() {}

    /** Starts primaries with even shares of the slots, and a replica of each if wanted. */
    public static TestCluster start(int primaries, boolean replicas) {
        TestCluster cluster = new TestCluster();
        try {
            for (int i = 0; i < (replicas ? 2 * primaries : primaries); i++) {
                cluster.nodes.add(cluster.startNode());
            }
            cluster.join(primaries);
            String nodeTimeout = replicas ? NODE_TIMEOUT_MILLIS : NODE_TIMEOUT_MILLIS_WITHOUT_REPLICAS;
            cluster.nodes.forEach(node -> node.redis.configSet("cluster-node-timeout", nodeTimeout));
            return cluster;
        } catch (RuntimeException | Error e) {
            cluster.close();
            throw e;
        }
    }

    private Node startNode() {
        for (int attempt = 1; ; attempt++) {
            int port = ThreadLocalRandom.current().nextInt(LOWEST_PORT, HIGHEST_PORT);
            if (!isFree(port + BUS_OFFSET)) {
                continue;
            }
            try {
                EmbeddedRedis.Builder settings = EmbeddedRedis.builder()
                        .port(port)
                        .setting("cluster-enabled", "yes")
                        // with a short one, they join quickly
                        .setting("cluster-node-timeout", "1500")
                        .setting("cluster-announce-ip", "127.0.0.1")
                        .setting("appendonly", "yes");
                EmbeddedRedis server = DocumentedUser.on(settings, DocumentedUser.CLUSTER, DocumentedUser.WAIT)
                        .start();
                return new Node(
                        server, admin.connect(RedisURI.create(server.uri())).sync());
            } catch (EmbeddedRedisException e) {
                if (attempt == 20) {
                    throw e;
                }
            }
        }
    }

    private static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket(port)) {
            return socket.isBound();
        } catch (IOException e) {
            return false;
        }
    }

    private void join(int primaries) {
        Node first = nodes.get(0);
        for (Node node : nodes) {
            first.redis.clusterMeet("127.0.0.1", node.server.port());
        }
        for (int i = 0; i < primaries; i++) {
            int from = SlotHash.SLOT_COUNT * i / primaries;
            int to = SlotHash.SLOT_COUNT * (i + 1) / primaries;
            nodes.get(i).redis.clusterAddSlots(IntStream.range(from, to).toArray());
        }
        awaitAll(node -> ClusterPartitionParser.parse(node.redis.clusterNodes()).size() == nodes.size());
        for (int i = primaries; i < nodes.size(); i++) {
            nodes.get(i).redis.clusterReplicate(nodes.get(i - primaries).id());
        }
        awaitReplicasInSync();
    }

    /** Waits until every replica is synchronised with its primary. */
    public void awaitReplicasInSync() {
        awaitOk();
        awaitAll(node -> node.isPrimary()
                ? !node.redis.info("replication").contains("state=wait")
                : node.redis.info("replication").contains("master_link_status:up"));
    }

    /** Waits until every running node reports {@code cluster_state:ok}. */
    public void awaitOk() {
        awaitAll(node -> node.redis.clusterInfo().contains("cluster_state:ok"));
    }

    private void awaitAll(Predicate<Node> condition) {
        for (Node node : nodes) {
            if (node.server.isRunning()) {
                soon().until(() -> condition.test(node));
            }
        }
    }

    private static ConditionFactory soon() {
        return await().atMost(Duration.ofSeconds(60))
                .pollInterval(Duration.ofMillis(50))
                .ignoreExceptions();
    }

    /** All nodes. */
    public List<Node> nodes() {
        return nodes;
    }

    /** Number of replies with this error, by all running nodes since their start. */
    public long errors(String error) {
        return nodes.stream()
                .filter(node -> node.server.isRunning())
                .flatMap(node -> node.redis.info("errorstats").lines())
                .filter(line -> line.startsWith("errorstat_" + error + ":"))
                .mapToLong(line ->
                        Long.parseLong(line.substring(line.indexOf('=') + 1).strip()))
                .sum();
    }

    /** A client with default settings that logs in as the documented user; the caller shuts it down. */
    public RedisClusterClient client() {
        return RedisClusterClient.create(nodes.stream()
                .map(node -> RedisURI.create(DocumentedUser.uri(node.server.uri())))
                .toList());
    }

    /** Fails if a running server denied the documented user anything. */
    public void assertNothingDenied() {
        nodes.stream()
                .filter(node -> node.server.isRunning())
                .forEach(node -> DocumentedUser.assertNothingDenied(node.redis));
    }

    /** The primary that serves the slot of a key. */
    public Node primaryOf(String key) {
        int slot = SlotHash.getSlot(key);
        Node any = nodes.stream().filter(Node::answers).findFirst().orElseThrow();
        RedisClusterNode primary = ClusterPartitionParser.parse(any.redis.clusterNodes()).stream()
                .filter(node -> node.getSlots().contains(slot))
                .findFirst()
                .orElseThrow();
        return nodes.stream()
                .filter(node -> node.server.port() == primary.getUri().getPort())
                .findFirst()
                .orElseThrow();
    }

    /** The replica of a primary. */
    public Node replicaOf(Node primary) {
        String id = primary.id();
        return nodes.stream()
                .filter(node -> node.answers()
                        && ClusterPartitionParser.parse(node.redis.clusterNodes()).stream()
                                .anyMatch(it -> it.is(RedisClusterNode.NodeFlag.MYSELF) && id.equals(it.getSlaveOf())))
                .findFirst()
                .orElseThrow();
    }

    /** Moves the slot of a key, key by key, and runs an action halfway. */
    public void moveSlotOf(String key, Node to, Runnable halfway) {
        int slot = SlotHash.getSlot(key);
        Node from = primaryOf(key);
        to.redis.clusterSetSlotImporting(slot, from.id());
        from.redis.clusterSetSlotMigrating(slot, to.id());
        // as another node sees them: the primaries may be frozen themselves
        Set<Integer> primaries = ClusterPartitionParser.parse(from.redis.clusterNodes()).stream()
                .filter(node -> !node.getSlots().isEmpty())
                .map(node -> node.getUri().getPort())
                .collect(Collectors.toSet());
        boolean first = true;
        List<String> keys = from.redis.clusterGetKeysInSlot(slot, 100);
        while (!keys.isEmpty()) {
            from.redis.migrate("127.0.0.1", to.server.port(), 0, 5000, MigrateArgs.Builder.key(keys.get(0)));
            if (first) {
                halfway.run();
                first = false;
            }
            keys = from.redis.clusterGetKeysInSlot(slot, 100);
        }
        to.redis.clusterSetSlotNode(slot, to.id());
        from.redis.clusterSetSlotNode(slot, to.id());
        for (Node node : nodes) {
            if (node != to && node != from && primaries.contains(node.server.port())) {
                node.redis.clusterSetSlotNode(slot, to.id());
            }
        }
    }

    /**
     * Moves the slot of a key while its server only learns of it from the others: Valkey's own has to ask its replicas first.
     */
    public void takeSlotOf(String key, Node to) {
        int slot = SlotHash.getSlot(key);
        Node from = primaryOf(key);
        to.redis.clusterSetSlotImporting(slot, from.id());
        for (String each : from.redis.clusterGetKeysInSlot(slot, 100)) {
            from.redis.migrate("127.0.0.1", to.server.port(), 0, 5000, MigrateArgs.Builder.key(each));
        }
        String id = to.id();
        to.redis.clusterSetSlotNode(slot, id);
        soon().until(() -> ClusterPartitionParser.parse(from.redis.clusterNodes())
                .getPartitionByNodeId(id)
                .hasSlot(slot));
    }

    /** Moves all slots that a server still has. */
    public void moveAllSlots(Node from, Node to) {
        String id = from.id();
        List<Integer> slots = ClusterPartitionParser.parse(from.redis.clusterNodes()).stream()
                .filter(node -> node.getNodeId().equals(id))
                .findFirst()
                .orElseThrow()
                .getSlots();
        for (int slot : slots) {
            if (from.redis.clusterCountKeysInSlot(slot) > 0) {
                from.redis.clusterGetKeysInSlot(slot, 1).forEach(key -> moveSlotOf(key, to, () -> {}));
            } else {
                to.redis.clusterSetSlotNode(slot, to.id());
            }
        }
        awaitAll(node -> ClusterPartitionParser.parse(node.redis.clusterNodes()).stream()
                .filter(it -> it.getNodeId().equals(id))
                .allMatch(it -> it.getSlots().isEmpty()));
    }

    @Override
    public void close() {
        admin.shutdown(Duration.ZERO, Duration.ofSeconds(2));
        nodes.forEach(node -> node.server.close());
    }

    /** A server of the Cluster, and a connection of the default user to it alone. */
    public static final class Node {

        private final EmbeddedRedis server;
        private final RedisCommands<String, String> redis;
        private volatile boolean paused;

        Node(EmbeddedRedis server, RedisCommands<String, String> redis) {
            this.server = server;
            this.redis = redis;
        }

        /** The server; {@link #pause()} and {@link #resume()} are called here. */
        public EmbeddedRedis server() {
            return server;
        }

        /** The connection. */
        public RedisCommands<String, String> redis() {
            return redis;
        }

        /** Its node id. */
        public String id() {
            return redis.clusterMyId();
        }

        /** Whether it is a primary. */
        public boolean isPrimary() {
            return redis.info("replication").contains("role:master");
        }

        /** {@code kill -STOP}. */
        public void pause() {
            paused = true;
            server.pause();
        }

        /** {@code kill -CONT}; without effect on a server that is not paused. */
        public void resume() {
            server.resume();
            paused = false;
        }

        private boolean answers() {
            return server.isRunning() && !paused;
        }
    }
}
