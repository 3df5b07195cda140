package io.delayqueue.internal.redis;

import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * One server of a Cluster, by itself: what another one has it refuses, and nobody is asked instead.
 *
 * @param id what the Cluster calls it
 * @param uri where it is, and how to get in
 */
record ClusterNode(Cluster cluster, String id, RedisURI uri) implements Topology {

    /** Its name for people. */
    String address() {
        return uri.getHost() + ":" + uri.getPort();
    }

    @Override
    public StatefulRedisConnection<byte[], byte[]> connect() {
        return cluster.connectTo(uri);
    }

    @Override
    public StatefulRedisPubSubConnection<byte[], byte[]> connectPubSub() {
        throw new UnsupportedOperationException("wake-ups come over a connection to all servers");
    }

    @Override
    public RedisClusterAsyncCommands<byte[], byte[]> commands(StatefulConnection<byte[], byte[]> connection) {
        return ((StatefulRedisConnection<byte[], byte[]>) connection).async();
    }

    @Override
    public Object serverOf(StatefulConnection<byte[], byte[]> connection, byte[] key) {
        return id;
    }

    /** Calls are not made again here: who sends them has to look where the keys are by then. */
    @Override
    public boolean areMany() {
        return false;
    }

    @Override
    public boolean mayGiveAway() {
        return true;
    }

    @Override
    public boolean haveShardChannels() {
        return cluster.haveShardChannels();
    }

    @Override
    public void lookAgain() {
        cluster.lookAgain();
    }

    @Override
    public CompletableFuture<Void> lookAround(
            StatefulConnection<byte[], byte[]> connection, Object silentServer, Duration timeout) {
        // nobody else is asked here
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public void onChange(Runnable task) {
        cluster.onChange(task);
    }

    @Override
    public void close() {
        // it is the Cluster that watches
    }
}
