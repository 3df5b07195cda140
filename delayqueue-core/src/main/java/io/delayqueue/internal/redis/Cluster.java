package io.delayqueue.internal.redis;

import io.lettuce.core.RedisChannelHandler;
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
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.event.Event;
import io.lettuce.core.output.NestedMultiOutput;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.Disposable;

/** A Cluster: each key has one of several servers, and both keys and roles may move from server to server. */
final class Cluster implements Topology, RedisConnectionStateListener {

    private static final Logger log = LoggerFactory.getLogger(Cluster.class);

    /** Redis 7.0 brought SSUBSCRIBE and SPUBLISH. */
    private static final int MIN_VERSION_OF_SHARD_CHANNELS = 7;

    private final RedisClusterClient client;
    private final ClusterRefresh refresh;
    private final NodeConnector nodes;
    private final List<Runnable> onChange = new CopyOnWriteArrayList<>();
    private final Disposable events;
    private volatile boolean shardChannels = true;

    Cluster(RedisClusterClient client) {
        this.client = client;
        this.refresh = new ClusterRefresh(client);
        this.nodes = new NodeConnector(client);
        this.events = client.getResources().eventBus().get().subscribe(this::onEvent);
        client.addListener(this);
    }

    @Override
    public StatefulConnection<byte[], byte[]> connect() {
        StatefulRedisClusterConnection<byte[], byte[]> connection = client.connect(ByteArrayCodec.INSTANCE);
        try {
            shardChannels = hasShardChannels(connection);
        } catch (RedisException e) {
            log.debug("Can't read the Cluster's version, so it is taken for 7.0 or later: {}", ErrorText.of(e));
        }
        return connection;
    }

    /** Reads the version: every user may send HELLO, while COMMAND INFO needs a permission. */
    private static boolean hasShardChannels(StatefulRedisClusterConnection<byte[], byte[]> connection) {
        List<Object> hello =
                connection.sync().dispatch(CommandType.HELLO, new NestedMultiOutput<>(ByteArrayCodec.INSTANCE));
        for (int i = 0; i + 1 < hello.size(); i += 2) {
            if (Replies.text(hello.get(i)).equals("version")) {
                int major = Integer.parseInt(Replies.text(hello.get(i + 1)).split("\\.")[0]);
                return major >= MIN_VERSION_OF_SHARD_CHANNELS;
            }
        }
        return true;
    }

    @Override
    public StatefulRedisPubSubConnection<byte[], byte[]> connectPubSub() {
        return client.connectPubSub(ByteArrayCodec.INSTANCE);
    }

    /** Opens a connection that stays with this server; blocks. */
    StatefulRedisConnection<byte[], byte[]> connectTo(RedisURI server) {
        return nodes.connect(server);
    }

    /** The server that has the key, as far as is known; null if none is known to. */
    static @Nullable RedisClusterNode primaryOf(StatefulConnection<byte[], byte[]> connection, byte[] key) {
        return ((StatefulRedisClusterConnection<byte[], byte[]>) connection)
                .getPartitions()
                .getMasterBySlot(SlotHash.getSlot(key));
    }

    /** The servers that have slots. */
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

    /** By address, as Lettuce finds them for commands: those found by id are others. */
    @Override
    public CompletableFuture<StatefulRedisConnection<byte[], byte[]>> connectionTo(
            StatefulConnection<byte[], byte[]> connection, byte[] key) {
        RedisClusterNode primary = primaryOf(connection, key);
        return primary == null
                ? CompletableFuture.failedFuture(
                        new RedisException("no server of the Cluster is known to have the slot"))
                : ((StatefulRedisClusterConnection<byte[], byte[]>) connection)
                        .getConnectionAsync(
                                primary.getUri().getHost(), primary.getUri().getPort());
    }

    @Override
    public Object serverOf(StatefulConnection<byte[], byte[]> connection, byte[] key) {
        RedisClusterNode primary = primaryOf(connection, key);
        return primary == null ? this : primary.getNodeId();
    }

    @Override
    public List<IntPredicate> slotsOfOthers(StatefulConnection<byte[], byte[]> connection, byte[] key) {
        Object server = serverOf(connection, key);
        return primaries(connection).stream()
                .filter(node -> !node.getNodeId().equals(server))
                .<IntPredicate>map(node -> node::hasSlot)
                .toList();
    }

    @Override
    public boolean isSharded() {
        return true;
    }

    @Override
    public boolean hasShardChannels() {
        return shardChannels;
    }

    @Override
    public void refresh() {
        refresh.refresh();
    }

    @Override
    public CompletableFuture<Void> refreshExcluding(
            Object silentServer, StatefulConnection<byte[], byte[]> connection, Duration timeout) {
        return refresh.refreshExcluding(silentServer, connection, timeout);
    }

    @Override
    public void onChange(Runnable task) {
        onChange.add(task);
    }

    private void onEvent(Event event) {
        if (event instanceof MovedRedirectionEvent) {
            refresh();
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
        nodes.close();
    }
}
