package io.delayqueue.internal.redis;

import io.lettuce.core.ScoredValue;
import io.lettuce.core.api.sync.RedisCommands;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** All keys of one topic as they are in Redis. The names are written out here, so that a wrong one is seen. */
record RawKeys(RedisCommands<String, String> redis, String prefix, String topic) {

    String name(String key) {
        return prefix + ":{" + topic + ":0}" + key;
    }

    /** Names of the topic's keys that exist, without what they begin with. */
    Set<String> present() {
        String start = name("");
        return redis.keys(prefix + ":{" + topic + ":*").stream()
                .map(key -> key.substring(start.length()))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    Map<String, String> meta() {
        return new TreeMap<>(redis.hgetall(name(":meta")));
    }

    /** The counters, which are all that {@code meta} has to keep of a topic. */
    Map<String, String> counters() {
        Map<String, String> counters = meta();
        counters.keySet()
                .removeIf(field -> field.contains(":")
                        || Set.of("format", "priorities", "paused", "retention", "large", "expected1")
                                .contains(field));
        return counters;
    }

    Map<String, String> messages() {
        return new TreeMap<>(redis.hgetall(name(":messages")));
    }

    Map<String, Long> leased() {
        return scores(":leased");
    }

    /** How Redis keeps a key. */
    String encoding(String key) {
        return redis.objectEncoding(name(key));
    }

    Map<String, String> attempts() {
        return new TreeMap<>(redis.hgetall(name(":attempts")));
    }

    Map<String, Long> dead() {
        return scores(":dead");
    }

    Map<String, String> errors() {
        return new TreeMap<>(redis.hgetall(name(":dead:errors")));
    }

    Map<String, Long> suspects() {
        return scores(":suspects");
    }

    Map<String, Long> applied() {
        return scores(":applied");
    }

    Map<String, Long> scheduled() {
        return scores(":scheduled");
    }

    Map<String, Long> scheduled(int priority) {
        return scores(priority == 4 ? ":scheduled" : ":scheduled:" + priority);
    }

    /** Everything there is, to be compared with itself later. */
    Map<String, Object> everything() {
        Map<String, Object> all = new TreeMap<>();
        for (String key : present()) {
            boolean hash = redis.type(name(key)).equals("hash");
            all.put(key, hash ? new TreeMap<>(redis.hgetall(name(key))) : scores(key));
        }
        return all;
    }

    private Map<String, Long> scores(String key) {
        List<ScoredValue<String>> members = redis.zrangeWithScores(name(key), 0, -1);
        Map<String, Long> scores = new TreeMap<>();
        members.forEach(member -> scores.put(member.getValue(), (long) member.getScore()));
        return scores;
    }
}
