package io.delayqueue.internal.redis;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.codec.ByteArrayCodec;
import java.lang.reflect.Method;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens connections to single servers of a Cluster, with a client of its own: the connections of a Cluster's client follow the
 * keys from server to server.
 */
final class NodeConnector {

    private static final Logger log = LoggerFactory.getLogger(NodeConnector.class);

    /** Bounds the shutdown of the own client, whose connections are closed by then. */
    private static final long SHUTDOWN_TIMEOUT_MS = 1000;

    private final RedisClusterClient cluster;
    private final ReentrantLock lock = new ReentrantLock();
    private @Nullable RedisClient client;

    NodeConnector(RedisClusterClient cluster) {
        this.cluster = cluster;
    }

    /** Opens a connection that stays with this server, even when the server becomes a replica; blocks. */
    StatefulRedisConnection<byte[], byte[]> connect(RedisURI server) {
        return client().connect(ByteArrayCodec.INSTANCE, withLogin(server));
    }

    void close() {
        lock.lock();
        try {
            if (client != null) {
                client.shutdownAsync(0, SHUTDOWN_TIMEOUT_MS, TimeUnit.MILLISECONDS);
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Adds user and TLS, which the addresses that a Cluster lists don't have. Lettuce takes both from the first address that the
     * client was created with, which only subclasses may read.
     */
    private RedisURI withLogin(RedisURI server) {
        try {
            Method firstUri = RedisClusterClient.class.getDeclaredMethod("getFirstUri");
            firstUri.setAccessible(true);
            return RedisURI.builder((RedisURI) firstUri.invoke(cluster))
                    .withHost(server.getHost())
                    .withPort(server.getPort())
                    .build();
        } catch (ReflectiveOperationException | RuntimeException e) {
            log.debug("Can't read the credentials of the Cluster's client: {}", ErrorText.of(e));
            return server;
        }
    }

    private RedisClient client() {
        lock.lock();
        try {
            if (client == null) {
                client = RedisClient.create(cluster.getResources());
                client.setOptions(cluster.getOptions());
            }
            return client;
        } finally {
            lock.unlock();
        }
    }
}
