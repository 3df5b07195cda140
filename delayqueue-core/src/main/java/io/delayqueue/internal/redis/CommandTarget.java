package io.delayqueue.internal.redis;

import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** Redis as a receiver of commands: a single server, one server of a Cluster, or a whole Cluster. */
interface CommandTarget {

    /** Opens a connection for commands; blocks. */
    StatefulConnection<byte[], byte[]> connect();

    /** The commands of a connection that was opened here. */
    RedisClusterAsyncCommands<byte[], byte[]> commands(StatefulConnection<byte[], byte[]> connection);

    /**
     * The connection to the server that has the key alone, over which {@link #commands} for it go: over one that is part of a Cluster's
     * connection. Commands sent over it directly are not redirected.
     */
    default CompletableFuture<StatefulRedisConnection<byte[], byte[]>> connectionTo(
            StatefulConnection<byte[], byte[]> connection, byte[] key) {
        return CompletableFuture.completedFuture((StatefulRedisConnection<byte[], byte[]>) connection);
    }

    /** Identity of the server that has the key, as far as is known: one server may be silent while others answer. */
    Object serverOf(StatefulConnection<byte[], byte[]> connection, byte[] key);

    /** Whether keys are spread over several servers, so that a command must keep to the keys of one partition. */
    boolean isSharded();

    /** Whether keys may move to another server while the connection stays with this one. */
    default boolean mayLoseKeys() {
        return false;
    }

    /** Looks up which server has which keys, because an answer suggests that it changed; does not block. */
    default void refresh() {
        // each new connection finds its server by itself
    }

    /**
     * As {@link #refresh}, because a server is silent and another may have taken over. Completes within the timeout, once new
     * connections no longer start at the silent server.
     */
    default CompletableFuture<Void> refreshExcluding(
            Object silentServer, StatefulConnection<byte[], byte[]> connection, Duration timeout) {
        return CompletableFuture.completedFuture(null);
    }
}
