package io.delayqueue.internal.redis;

import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;

/**
 * One server of a Cluster by itself: it refuses commands for keys that another server has, and they are not sent elsewhere.
 *
 * @param id the Cluster's name for it
 * @param uri its address and how to log in
 */
record ClusterNode(Cluster cluster, String id, RedisURI uri) implements CommandTarget {

    /** Host and port, for people. */
    String address() {
        return uri.getHost() + ":" + uri.getPort();
    }

    @Override
    public StatefulRedisConnection<byte[], byte[]> connect() {
        return cluster.connectTo(uri);
    }

    @Override
    public RedisClusterAsyncCommands<byte[], byte[]> commands(StatefulConnection<byte[], byte[]> connection) {
        return ((StatefulRedisConnection<byte[], byte[]>) connection).async();
    }

    @Override
    public Object serverOf(StatefulConnection<byte[], byte[]> connection, byte[] key) {
        return id;
    }

    @Override
    public boolean isSharded() {
        return false;
    }

    @Override
    public boolean mayLoseKeys() {
        return true;
    }

    @Override
    public void refresh() {
        cluster.refresh();
    }
}
