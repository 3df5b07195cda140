package io.delayqueue.internal.redis;

import io.delayqueue.internal.store.Partition;
import java.util.function.Supplier;

/**
 * Tells the scripts how to publish wake-ups.
 *
 * @param areUsed whether wake-ups are published at all
 * @param keys names the channels
 * @param topology knows whether channels belong to shards, once it has a connection
 */
record WakeUpChannels(boolean areUsed, Keys keys, Topology topology) {

    private static final byte[] NONE = {};

    /** Command and channel as the scripts take them; empty for no wake-ups. To be asked when the script is sent. */
    Supplier<byte[]> publishArgument(Partition partition) {
        if (!areUsed) {
            return () -> NONE;
        }
        Keys.OfPartition of = keys.of(partition);
        return () -> topology.hasShardChannels() ? of.shardPublish() : of.publish();
    }
}
