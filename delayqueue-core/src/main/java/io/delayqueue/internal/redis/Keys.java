package io.delayqueue.internal.redis;

import io.delayqueue.internal.store.Partition;
import io.lettuce.core.cluster.SlotHash;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntPredicate;

/** The names of all keys and channels under one prefix. None is built anywhere else. */
final class Keys {

    /** Lowest and highest priority have a sorted set each, and all between. */
    static final int LEVELS = 10;

    private static final int DEFAULT_LEVEL = 4;
    private static final int MOST_CACHED = 10_000;

    private final String prefix;
    private final Map<Partition, OfPartition> cache = new ConcurrentHashMap<>();

    Keys(String prefix) {
        this.prefix = prefix;
    }

    /** SET: the names of all topics. */
    byte[] topics() {
        return bytes(prefix + ":topics");
    }

    /** The keys of a partition; all have the same hash tag. Partitions are few, so their keys are kept. */
    OfPartition of(Partition partition) {
        OfPartition known = cache.get(partition);
        if (known != null) {
            return known;
        }
        OfPartition keys = new OfPartition(prefix + ":{" + partition.topic() + ":" + partition.number() + "}");
        if (cache.size() < MOST_CACHED) {
            cache.put(partition, keys);
        }
        return keys;
    }

    /** Keys to try commands on: they belong to no topic, since no topic may begin with a blank. */
    OfPartition probeKeys() {
        return probeKeys(0);
    }

    /** Keys to try commands on, in one of the slots that match; at least one slot must. */
    OfPartition probeKeys(IntPredicate slots) {
        for (int number = 0; ; number++) {
            OfPartition keys = probeKeys(number);
            if (slots.test(SlotHash.getSlot(keys.meta()))) {
                return keys;
            }
        }
    }

    private OfPartition probeKeys(int number) {
        return new OfPartition(prefix + ":{ probe:" + number + "}");
    }

    private static byte[] bytes(String name) {
        return name.getBytes(StandardCharsets.UTF_8);
    }

    /** The keys of one partition, in the order in which the scripts take them. */
    static final class OfPartition {

        private final byte[] channel;
        private final byte[] publish;
        private final byte[] shardPublish;
        private final byte[][] all;

        private OfPartition(String base) {
            this.channel = bytes(base);
            this.publish = bytes("PUBLISH " + base);
            this.shardPublish = bytes("SPUBLISH " + base);
            this.all = new byte[6 + LEVELS][];
            all[0] = bytes(base + ":meta"); // HASH: counters, paused, levels in use, turns of consumers
            all[1] = bytes(base + ":messages"); // HASH: id → envelope
            all[2] = bytes(base + ":leased"); // ZSET: id → deadline µs
            all[3] = bytes(base + ":attempts"); // HASH: id → failed attempts
            all[4] = bytes(base + ":dead"); // ZSET: id → time of death µs
            all[5] = bytes(base + ":dead:errors"); // HASH: id → priority and error
            for (int level = 0; level < LEVELS; level++) {
                // ZSET: id → due time µs
                all[6 + level] = bytes(base + ":scheduled" + (level == DEFAULT_LEVEL ? "" : ":" + level));
            }
        }

        /** Channel for wake-ups. */
        byte[] channel() {
            return channel;
        }

        /** What the scripts take to wake all that listen to the channel. */
        byte[] publish() {
            return publish;
        }

        /** As {@link #publish}, where the channel stays with the partition's server. */
        byte[] shardPublish() {
            return shardPublish;
        }

        /** HASH: counters, paused, partitions, levels in use, turns of consumers. */
        byte[] meta() {
            return all[0];
        }

        /** HASH: id → envelope. */
        byte[] messages() {
            return all[1];
        }

        /** The first so many keys in the scripts' order: meta, messages, leased, attempts, dead, errors, scheduled 0..9. */
        byte[][] first(int count) {
            return Arrays.copyOf(all, count);
        }
    }
}
