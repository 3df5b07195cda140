package io.delayqueue.internal.store;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.zip.CRC32;

/**
 * How many partitions a topic has, and had. Never fewer than it had: so every message, however old, is in one of the
 * present ones.
 *
 * @param topic the topic
 * @param partitions how many it has
 * @param paused whether it was paused when its layout was read
 * @param former numbers of partitions that it had, and under which messages may have been placed
 */
public record Partitioning(String topic, int partitions, boolean paused, List<Integer> former) {

    public Partitioning {
        former = List.copyOf(former);
    }

    /** What a topic has that nobody has said anything about. */
    public static Partitioning single(String topic) {
        return new Partitioning(topic, 1, false, List.of());
    }

    /** Every partition. */
    public List<Partition> all() {
        return IntStream.range(0, partitions)
                .mapToObj(number -> new Partition(topic, number, partitions))
                .toList();
    }

    /** Where a new message goes. */
    public Partition of(String id) {
        return of(id, partitions);
    }

    /** Where a message may be, the likeliest first: where new ones go, then where they went formerly. */
    public List<Partition> candidates(String id) {
        if (former.isEmpty()) {
            return List.of(of(id));
        }
        return Stream.concat(Stream.of(partitions), former.stream())
                .map(count -> of(id, count))
                .distinct()
                .toList();
    }

    private Partition of(String id, int count) {
        if (count == 1) {
            return new Partition(topic, 0, partitions);
        }
        CRC32 hash = new CRC32();
        hash.update(id.getBytes(StandardCharsets.UTF_8));
        return new Partition(topic, (int) (hash.getValue() % count), partitions);
    }
}
