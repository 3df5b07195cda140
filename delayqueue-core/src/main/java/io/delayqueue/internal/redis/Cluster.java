package io.delayqueue.internal.redis;

import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.cluster.event.ClusterTopologyChangedEvent;
import io.lettuce.core.cluster.event.MovedRedirectionEvent;
import io.lettuce.core.cluster.models.partitions.ClusterPartitionParser;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.event.Event;
import io.lettuce.core.output.NestedMultiOutput;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.lang.reflect.Method;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.Disposable;

/**
 * A Cluster. The client may not have been told to look after changes by itself, and then stays with what it knew at
 * first: so it is told to look again whenever an answer suggests it.
 */
final class Cluster implements Topology, RedisConnectionStateListener {

    private static final Logger log = LoggerFactory.getLogger(Cluster.class);

    private static final long BETWEEN_LOOKS_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private static final long CLOSING_MS = 1000;
    private static final int FIRST_WITH_SHARD_CHANNELS = 7;

    private final RedisClusterClient client;
    private final List<Runnable> onChange = new CopyOnWriteArrayList<>();
    private final AtomicLong lastLook = new AtomicLong(System.nanoTime() - BETWEEN_LOOKS_NANOS);
    private final Disposable events;
    private final ReentrantLock lock = new ReentrantLock();
    private volatile boolean shardChannels = true;
    /** For connections to one server; a client of a Cluster opens none that stays with its server. */
    private @Nullable RedisClient single;

    Cluster(RedisClusterClient client) {
        this.client = client;
        this.events = client.getResources().eventBus().get().subscribe(this::onEvent);
        client.addListener(this);
    }

    @Override
    public StatefulConnection<byte[], byte[]> connect() {
        StatefulRedisClusterConnection<byte[], byte[]> connection = client.connect(ByteArrayCodec.INSTANCE);
        try {
            shardChannels = hasShardChannels(connection);
        } catch (RedisException e) {
            log.debug(
                    "It can't be asked whether this Cluster has shard channels; all from 7.0 have: {}",
                    RedisErrors.text(e));
        }
        return connection;
    }

    /** By the version: HELLO is open to all, while COMMAND INFO is a right that a user may lack. */
    private static boolean hasShardChannels(StatefulRedisClusterConnection<byte[], byte[]> connection) {
        List<Object> hello =
                connection.sync().dispatch(CommandType.HELLO, new NestedMultiOutput<>(ByteArrayCodec.INSTANCE));
        for (int i = 0; i + 1 < hello.size(); i += 2) {
            if (Replies.text(hello.get(i)).equals("version")) {
                return Integer.parseInt(Replies.text(hello.get(i + 1)).split("\\.")[0]) >= FIRST_WITH_SHARD_CHANNELS;
            }
        }
        return true;
    }

    @Override
    public StatefulRedisPubSubConnection<byte[], byte[]> connectPubSub() {
        return client.connectPubSub(ByteArrayCodec.INSTANCE);
    }

    /** Opens a connection to this server, and no other, whatever its part in the Cluster becomes; blocks. */
    StatefulRedisConnection<byte[], byte[]> connectTo(RedisURI server) {
        return single().connect(ByteArrayCodec.INSTANCE, withLogin(server));
    }

    /**
     * The servers that a Cluster lists have neither user nor TLS in their addresses: Lettuce itself takes those of the first
     * address that the client was given, which it tells none but its heirs.
     */
    private RedisURI withLogin(RedisURI server) {
        try {
            Method first = RedisClusterClient.class.getDeclaredMethod("getFirstUri");
            first.setAccessible(true);
            return RedisURI.builder((RedisURI) first.invoke(client))
                    .withHost(server.getHost())
                    .withPort(server.getPort())
                    .build();
        } catch (ReflectiveOperationException | RuntimeException e) {
            log.debug("The Cluster's client does not tell how it logs in: {}", RedisErrors.text(e));
            return server;
        }
    }

    private RedisClient single() {
        lock.lock();
        try {
            if (single == null) {
                single = RedisClient.create(client.getResources());
                single.setOptions(client.getOptions());
            }
            return single;
        } finally {
            lock.unlock();
        }
    }

    /** The server that has the key, as far as is known; null if none is known to. */
    static @Nullable RedisClusterNode primaryOf(StatefulConnection<byte[], byte[]> connection, byte[] key) {
        return ((StatefulRedisClusterConnection<byte[], byte[]>) connection)
                .getPartitions()
                .getMasterBySlot(SlotHash.getSlot(key));
    }

    /** The servers that have keys. */
    static List<RedisClusterNode> primaries(StatefulConnection<byte[], byte[]> connection) {
        return ((StatefulRedisClusterConnection<byte[], byte[]>) connection)
                .getPartitions().stream()
                        .filter(node -> !node.getSlots().isEmpty())
                        .toList();
    }

    @Override
    public RedisClusterAsyncCommands<byte[], byte[]> commands(StatefulConnection<byte[], byte[]> connection) {
        return ((StatefulRedisClusterConnection<byte[], byte[]>) connection).async();
    }

    @Override
    public Object serverOf(StatefulConnection<byte[], byte[]> connection, byte[] key) {
        RedisClusterNode primary = primaryOf(connection, key);
        return primary == null ? this : primary.getNodeId();
    }

    @Override
    public boolean areMany() {
        return true;
    }

    @Override
    public boolean haveShardChannels() {
        return shardChannels;
    }

    @Override
    public void lookAgain() {
        long last = lastLook.get();
        long now = System.nanoTime();
        if (now - last < BETWEEN_LOOKS_NANOS || !lastLook.compareAndSet(last, now)) {
            return;
        }
        client.refreshPartitionsAsync().whenComplete((done, error) -> {
            if (error != null) {
                log.debug("The Cluster's servers can't be listed for now: {}", RedisErrors.text(error));
            }
        });
    }

    /**
     * Lettuce's own refresh waits for the answers of all servers, a minute by default. This asks those that have slots
     * and are not silent, and takes the first answer.
     */
    @Override
    public CompletableFuture<Void> lookAround(
            StatefulConnection<byte[], byte[]> connection, Object silentServer, Duration timeout) {
        List<RedisClusterNode> others = primaries(connection).stream()
                .filter(node -> !node.getNodeId().equals(silentServer))
                .toList();
        CompletableFuture<String> first = new CompletableFuture<>();
        for (RedisClusterNode node : others) {
            ((StatefulRedisClusterConnection<byte[], byte[]>) connection)
                    .getConnectionAsync(node.getUri().getHost(), node.getUri().getPort())
                    .thenCompose(one -> one.async().clusterNodes())
                    .thenAccept(first::complete);
        }
        return first.completeOnTimeout("", timeout.toMillis(), TimeUnit.MILLISECONDS)
                .thenAccept(nodes -> take(nodes, silentServer))
                .exceptionally(error -> {
                    log.debug("The Cluster's servers can't be told: {}", RedisErrors.text(error));
                    return null;
                });
    }

    /** New connections go by what the client knows, and to the first server first: not to the silent one. */
    private void take(String nodes, Object silentServer) {
        if (nodes.isEmpty()) {
            return;
        }
        RedisURI known = client.getPartitions().getPartition(0).getUri();
        List<RedisClusterNode> all =
                new ArrayList<>(ClusterPartitionParser.parse(nodes).getPartitions());
        all.sort(Comparator.comparing(node -> node.getNodeId().equals(silentServer)));
        for (RedisClusterNode node : all) {
            RedisURI address = node.getUri();
            node.setUri(RedisURI.builder(known)
                    .withHost(address.getHost())
                    .withPort(address.getPort())
                    .build());
        }
        client.getPartitions().reload(all);
    }

    @Override
    public void onChange(Runnable task) {
        onChange.add(task);
    }

    private void onEvent(Event event) {
        if (event instanceof MovedRedirectionEvent) {
            lookAgain();
        } else if (event instanceof ClusterTopologyChangedEvent) {
            changed();
        }
    }

    @Override
    public void onRedisConnected(RedisChannelHandler<?, ?> connection, SocketAddress socketAddress) {
        if (connection instanceof StatefulRedisPubSubConnection) {
            changed();
        }
    }

    private void changed() {
        onChange.forEach(Runnable::run);
    }

    @Override
    public void close() {
        events.dispose();
        client.removeListener(this);
        lock.lock();
        try {
            if (single != null) {
                single.shutdownAsync(0, CLOSING_MS, TimeUnit.MILLISECONDS);
            }
        } finally {
            lock.unlock();
        }
    }
}
