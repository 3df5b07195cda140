package io.delayqueue.internal.redis;

import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** The Redis behind the caller's client: one server (the one that Sentinel names, maybe), or a Cluster. */
interface Topology {

    /** Opens a connection for commands; blocks. */
    StatefulConnection<byte[], byte[]> connect();

    /** Opens a connection for wake-ups; blocks. */
    StatefulRedisPubSubConnection<byte[], byte[]> connectPubSub();

    /** What can be sent over a connection that was opened here. */
    RedisClusterAsyncCommands<byte[], byte[]> commands(StatefulConnection<byte[], byte[]> connection);

    /** The server that has the key, as far as is known: while one is silent others may answer. */
    Object serverOf(StatefulConnection<byte[], byte[]> connection, byte[] key);

    /** Whether there are several, so that a call is about the keys of one partition only. */
    boolean areMany();

    /** Whether keys may go to another server while a connection stays with this one. */
    default boolean mayGiveAway() {
        return false;
    }

    /** Whether wake-ups stay with the servers of their partition, rather than go to all. */
    boolean haveShardChannels();

    /** How long a connection that is given up may be of use, ms; 0 for not at all. */
    default long lingerMs(Duration commandTimeout) {
        return areMany() ? commandTimeout.toMillis() : 0;
    }

    /** Something suggests that servers changed places; does not block. */
    void lookAgain();

    /** A server is silent, and others may have taken its place by now: completes, within the time, when that is known. */
    CompletableFuture<Void> lookAround(
            StatefulConnection<byte[], byte[]> connection, Object silentServer, Duration timeout);

    /** Has the task run when a connection was opened anew or servers changed places. */
    void onChange(Runnable task);

    /** Ends what watches the servers. The client stays open. */
    void close();
}
