package io.delayqueue.jdbc.restore;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Losses that are not repaired yet, as of this process' last looks, and since when it has known them. Safe for use by several threads. */
final class OpenLosses {

    /** Bounds what an operator is told. */
    private static final int MOST_TOLD = 100;

    private record Topic(Map<Integer, String> epochs, long sinceNanos, List<RedisLossDetectedEvent> losses) {}

    private final Map<String, Topic> topics = new ConcurrentHashMap<>();

    /**
     * Takes over the losses that the journal has for a topic, in the place of those known so far.
     *
     * @param known partitions of the topic
     * @return whether there are losses
     */
    boolean found(String topic, Map<Integer, KnownPartition> known) {
        Map<Integer, String> epochs = new HashMap<>();
        known.forEach((part, partition) -> {
            if (partition.refill() != null) {
                epochs.put(part, partition.refill());
            }
        });
        List<RedisLossDetectedEvent> losses = epochs.keySet().stream()
                .sorted()
                .map(part -> new RedisLossDetectedEvent(
                        topic,
                        part,
                        known.getOrDefault(part, KnownPartition.UNKNOWN).loss()))
                .toList();
        topics.compute(topic, (name, before) -> {
            if (losses.isEmpty()) {
                return null;
            }
            // another epoch is another loss
            boolean same = before != null && before.epochs().equals(epochs);
            return new Topic(epochs, same ? before.sinceNanos() : System.nanoTime(), losses);
        });
        return !losses.isEmpty();
    }

    /** Epochs of the losses of a topic. */
    Collection<String> epochs(String topic) {
        Topic open = topics.get(topic);
        return open == null ? List.of() : open.epochs().values();
    }

    /** Time since the losses of a topic were found, all that there are now; zero if there are none. */
    Duration age(String topic) {
        Topic open = topics.get(topic);
        return open == null ? Duration.ZERO : Duration.ofNanos(System.nanoTime() - open.sinceNanos());
    }

    /** Forgets topics that were deleted. */
    void retain(Set<String> present) {
        topics.keySet().retainAll(present);
    }

    List<RedisLossDetectedEvent> all() {
        return topics.values().stream()
                .flatMap(topic -> topic.losses().stream())
                .limit(MOST_TOLD)
                .toList();
    }
}
