package io.delayqueue.internal.redis;

import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.time.Duration;
import java.util.List;
import java.util.function.IntPredicate;

/** All of Redis behind the user's client: a single server (perhaps found through Sentinel), or a Cluster. */
interface Topology extends CommandTarget {

    /** Opens a connection for wake-ups; blocks. */
    StatefulRedisPubSubConnection<byte[], byte[]> connectPubSub();

    /** Whether wake-ups stay within the shard of their partition, rather than reach all servers. */
    boolean hasShardChannels();

    /**
     * How long a replaced connection stays open, ms. A Cluster's connection leads to several servers, and those that are well may
     * still answer commands under way.
     */
    default long lingerMs(Duration commandTimeout) {
        return isSharded() ? commandTimeout.toMillis() : 0;
    }

    /** The slots of each server that has some, but for the server of a key. */
    default List<IntPredicate> slotsOfOthers(StatefulConnection<byte[], byte[]> connection, byte[] key) {
        return List.of();
    }

    /** Runs the task whenever subscriptions may have been lost: keys moved, or Lettuce reconnected by itself. */
    void onChange(Runnable task);

    /** Stops watching the servers. The user's client stays open. */
    void close();
}
