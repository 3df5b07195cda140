package io.delayqueue.internal.redis;

import io.delayqueue.OutgoingMessage;
import io.delayqueue.internal.store.Partition;
import io.lettuce.core.cluster.SlotHash;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntPredicate;

/** The names of all keys and channels under one prefix. None is built anywhere else. */
final class Keys {

    /** Each priority, 0 to 9, has a sorted set of its own. */
    static final int PRIORITIES = 10;

    /** Partitions whose keys are kept. Beyond, they are built at each call, so that made-up topics fill no memory. */
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
            this.all = new byte[6 + PRIORITIES + 2][];
            all[0] = bytes(
                    base + ":meta"); // HASH: counters, paused, priorities in use, epoch with its server and how the one
            // before ended, recorded calls
            all[1] = bytes(base + ":messages"); // HASH: id → envelope
            all[2] = bytes(base + ":leased"); // ZSET: id → deadline µs
            all[3] = bytes(base + ":attempts"); // HASH: id → failed attempts, and whether leases expired
            all[4] = bytes(base + ":dead"); // ZSET: id → µs since when
            all[5] = bytes(base + ":dead:errors"); // HASH: id → priority and error
            for (int priority = 0; priority < PRIORITIES; priority++) {
                // ZSET: id → due time µs
                boolean isDefault = priority == OutgoingMessage.DEFAULT_PRIORITY;
                all[6 + priority] = bytes(base + ":scheduled" + (isDefault ? "" : ":" + priority));
            }
            all[6 + PRIORITIES] = bytes(base + ":suspects"); // ZSET: id → due time µs
            all[6 + PRIORITIES + 1] =
                    bytes(base + ":applied"); // ZSET: token and id of a change → µs when it was applied
        }

        /** Channel for wake-ups. */
        byte[] channel() {
            return channel;
        }

        /** Argument of the scripts that wakes all listeners of the channel. */
        byte[] publish() {
            return publish;
        }

        /** As {@link #publish}, where the channel stays with the partition's server. */
        byte[] shardPublish() {
            return shardPublish;
        }

        /** HASH: counters, paused, partition counts, priorities in use, recorded calls of consumers, and when they are to claim. */
        byte[] meta() {
            return all[0];
        }

        /** HASH: id → envelope. */
        byte[] messages() {
            return all[1];
        }

        /** ZSET: token and id of each change that the outbox applied lately → µs since the epoch, and the outcome. */
        byte[] applied() {
            return all[6 + PRIORITIES + 1];
        }

        /**
         * The first keys in the scripts' order: meta, messages, leased, attempts, dead, errors, scheduled 0..9, suspects, applied.
         */
        byte[][] first(int count) {
            return Arrays.copyOf(all, count);
        }
    }
}
