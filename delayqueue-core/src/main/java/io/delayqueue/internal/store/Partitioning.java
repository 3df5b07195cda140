package io.delayqueue.internal.store;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.zip.CRC32;

/**
 * The partition count of a topic, and its former ones. The count only grows, so every message, however old, is in one of
 * the present partitions.
 *
 * @param topic the topic
 * @param partitions its partition count
 * @param paused whether it was paused when this was read
 * @param former earlier partition counts; messages may still be where those put them
 */
public record Partitioning(String topic, int partitions, boolean paused, List<Integer> former) {

    public Partitioning {
        former = List.copyOf(former);
    }

    /** One partition: that of a topic for which no instance has asked for more. */
    public static Partitioning single(String topic) {
        return new Partitioning(topic, 1, false, List.of());
    }

    /** Every partition. */
    public List<Partition> all() {
        return IntStream.range(0, partitions)
                .mapToObj(number -> new Partition(topic, number, partitions))
                .toList();
    }

    /** The partition of a new message. */
    public Partition of(String id) {
        return of(id, partitions);
    }

    /** The partitions that may hold a message: that of new messages first, then those by the former counts. */
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
        return new Partition(topic, number(id, count), partitions);
    }

    /** The number of the partition that a count puts an id in. */
    static int number(String id, int count) {
        if (count == 1) {
            return 0;
        }
        CRC32 hash = new CRC32();
        hash.update(id.getBytes(StandardCharsets.UTF_8));
        return (int) (hash.getValue() % count);
    }
}
