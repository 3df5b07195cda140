package io.delayqueue.internal.redis;

import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;

/** One server, which each new connection finds anew: behind Sentinel, or a name, it may be another one by then. */
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
    public boolean isSharded() {
        return false;
    }

    @Override
    public boolean hasShardChannels() {
        return false;
    }

    @Override
    public void onChange(Runnable task) {
        // Lettuce subscribes again by itself
    }

    @Override
    public void close() {
        // nothing is watched
    }
}
