package io.delayqueue.internal.redis;

import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** One server, found anew by each connection. */
record Standalone(RedisClient client) implements Topology {

    @Override
    public StatefulConnection<byte[], byte[]> connect() {
        return client.connect(ByteArrayCodec.INSTANCE);
    }

    @Override
    public StatefulRedisPubSubConnection<byte[], byte[]> connectPubSub() {
        return client.connectPubSub(ByteArrayCodec.INSTANCE);
    }

    @Override
    public RedisClusterAsyncCommands<byte[], byte[]> commands(StatefulConnection<byte[], byte[]> connection) {
        return ((StatefulRedisConnection<byte[], byte[]>) connection).async();
    }

    @Override
    public Object serverOf(StatefulConnection<byte[], byte[]> connection, byte[] key) {
        return this;
    }

    @Override
    public boolean areMany() {
        return false;
    }

    @Override
    public boolean haveShardChannels() {
        return false;
    }

    @Override
    public void lookAgain() {
        // each new connection does
    }

    @Override
    public CompletableFuture<Void> lookAround(
            StatefulConnection<byte[], byte[]> connection, Object silentServer, Duration timeout) {
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public void onChange(Runnable task) {
        // Lettuce subscribes anew by itself
    }

    @Override
    public void close() {
        // nothing watches it
    }
}
