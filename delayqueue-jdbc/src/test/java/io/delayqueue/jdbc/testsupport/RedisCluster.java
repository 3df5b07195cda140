package io.delayqueue.jdbc.testsupport;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisException;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.SlotHash;
import java.io.IOException;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;

/** A Cluster of three primaries, of which one that is silent is neither replaced nor stops the others. */
public final class RedisCluster implements AutoCloseable {

    private static final int SERVERS = 3;

    /** The cluster bus listens 10,000 above, below the ephemeral ports of the system. */
    private static final int LOWEST_PORT = 12_000;

    private static final int HIGHEST_PORT = 22_000;
    private static final int BUS_OFFSET = 10_000;

    private final List<EmbeddedRedis> servers = new ArrayList<>();

    private RedisCluster() {}

    /** Starts one. */
    public static RedisCluster start() {
        RedisCluster cluster = new RedisCluster();
        try {
            while (cluster.servers.size() < SERVERS) {
                cluster.servers.add(startServer());
            }
            cluster.join();
            return cluster;
        } catch (RuntimeException | Error e) {
            cluster.close();
            throw e;
        }
    }

    private static EmbeddedRedis startServer() {
        for (int attempt = 1; ; attempt++) {
            int port = ThreadLocalRandom.current().nextInt(LOWEST_PORT, HIGHEST_PORT);
            if (!isFree(port + BUS_OFFSET)) {
                continue;
            }
            try {
                return EmbeddedRedis.builder()
                        .port(port)
                        .setting("cluster-enabled", "yes")
                        .setting("cluster-announce-ip", "127.0.0.1")
                        .setting("cluster-node-timeout", "600000")
                        .setting("cluster-require-full-coverage", "no")
                        .start();
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

    private void join() {
        RedisClient admin = RedisClient.create();
        try {
            List<RedisCommands<String, String>> nodes = servers.stream()
                    .map(server -> admin.connect(RedisURI.create(server.uri())).sync())
                    .toList();
            for (int i = 0; i < SERVERS; i++) {
                nodes.get(0).clusterMeet("127.0.0.1", servers.get(i).port());
                nodes.get(i)
                        .clusterAddSlots(IntStream.range(from(i), from(i + 1)).toArray());
            }
            Awaitility.await()
                    .atMost(Duration.ofMinutes(1))
                    .until(() -> nodes.stream()
                            .map(RedisCommands::clusterInfo)
                            .allMatch(info -> info.contains("cluster_state:ok")
                                    && info.contains("cluster_slots_ok:" + SlotHash.SLOT_COUNT)));
        } finally {
            admin.shutdown(Duration.ZERO, Duration.ofSeconds(2));
        }
    }

    private static int from(int server) {
        return SlotHash.SLOT_COUNT * server / SERVERS;
    }

    /** Starts a replica of a primary, and returns when it has all that the primary has. */
    public EmbeddedRedis addReplica(EmbeddedRedis primary) {
        EmbeddedRedis replica = startServer();
        servers.add(replica);
        RedisClient admin = RedisClient.create();
        try {
            RedisCommands<String, String> node =
                    admin.connect(RedisURI.create(replica.uri())).sync();
            String primaryId =
                    admin.connect(RedisURI.create(primary.uri())).sync().clusterMyId();
            node.clusterMeet("127.0.0.1", primary.port());
            Awaitility.await()
                    .atMost(Duration.ofMinutes(1))
                    .until(() -> node.clusterNodes().contains(primaryId));
            node.clusterReplicate(primaryId);
            Awaitility.await()
                    .atMost(Duration.ofMinutes(1))
                    .until(() -> node.info("replication").contains("master_link_status:up"));
            return replica;
        } finally {
            admin.shutdown(Duration.ZERO, Duration.ofSeconds(2));
        }
    }

    /** Nodes as Spring's property names them. */
    public String nodes() {
        return servers.stream()
                .map(server -> server.host() + ":" + server.port())
                .collect(Collectors.joining(","));
    }

    /** The server of a key. */
    public EmbeddedRedis serverOf(String key) {
        int slot = SlotHash.getSlot(key);
        int number = IntStream.range(0, SERVERS)
                .filter(each -> from(each) <= slot && slot < from(each + 1))
                .findFirst()
                .orElseThrow();
        return servers.get(number);
    }

    /** Numbers from 0 on whose keys are on a server, or are not. */
    public List<Integer> numbers(int count, EmbeddedRedis server, boolean isThere, String before, String behind) {
        List<Integer> numbers = IntStream.range(0, 10_000)
                .filter(number -> (serverOf(before + number + behind) == server) == isThere)
                .limit(count)
                .boxed()
                .toList();
        assertThat(numbers).hasSize(count);
        return numbers;
    }

    /** A client; the caller shuts it down. */
    public RedisClusterClient client() {
        return RedisClusterClient.create(
                servers.stream().map(server -> RedisURI.create(server.uri())).toList());
    }

    @Override
    public void close() {
        servers.forEach(EmbeddedRedis::close);
    }
}
