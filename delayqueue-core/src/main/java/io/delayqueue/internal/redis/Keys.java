package io.delayqueue.internal.redis;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The names of all keys and channels under one prefix. None is built anywhere else. */
final class Keys {

    /** Lowest and highest priority have a sorted set each, and all between. */
    static final int LEVELS = 10;

    private static final int DEFAULT_LEVEL = 4;
    private static final int MOST_CACHED = 10_000;

    private final String prefix;
    private final Map<String, OfTopic> cache = new ConcurrentHashMap<>();

    Keys(String prefix) {
        this.prefix = prefix;
    }

    /** SET: the names of all topics. */
    byte[] topics() {
        return bytes(prefix + ":topics");
    }

    /** The keys of a topic; topics are few, so they are kept. */
    OfTopic of(String topic) {
        OfTopic known = cache.get(topic);
        if (known != null) {
            return known;
        }
        OfTopic keys = of(topic, 0);
        if (cache.size() < MOST_CACHED) {
            cache.put(topic, keys);
        }
        return keys;
    }

    /** The keys of one partition of a topic; all have the same hash tag. */
    OfTopic of(String topic, int partition) {
        return new OfTopic(prefix + ":{" + topic + ":" + partition + "}");
    }

    /** Keys to try things on: no topic may have a blank, so nobody's messages are there. */
    OfTopic ofNobody() {
        return new OfTopic(prefix + ":{ nobody:0}");
    }

    private static byte[] bytes(String name) {
        return name.getBytes(StandardCharsets.UTF_8);
    }

    /** The keys of one partition, in the order in which the scripts take them. */
    static final class OfTopic {

        private final byte[] channel;
        private final byte[][] all;

        private OfTopic(String base) {
            this.channel = bytes(base);
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

        /** HASH: counters, paused, levels in use, turns of consumers. */
        byte[] meta() {
            return all[0];
        }

        /** The first so many keys in the scripts' order: meta, messages, leased, attempts, dead, errors, scheduled 0..9. */
        byte[][] first(int count) {
            return Arrays.copyOf(all, count);
        }
    }
}
