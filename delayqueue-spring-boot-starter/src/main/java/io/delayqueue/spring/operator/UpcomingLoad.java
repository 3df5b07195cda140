package io.delayqueue.spring.operator;

import io.delayqueue.DelayQueueClient;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;

/**
 * Pending messages of a topic by due time.
 *
 * @param time Redis' clock; the first bucket begins here
 * @param bucket length of a bucket
 * @param overdue number of messages due before
 * @param due number of messages due in each bucket
 * @param later number of messages due after the last bucket
 */
public record UpcomingLoad(Instant time, Duration bucket, long overdue, List<Long> due, long later) {

    /** Maximum number of buckets. */
    public static final int MAX_BUCKETS = 98;

    /** Shortest bucket. */
    public static final Duration MIN_BUCKET = Duration.ofMillis(1);

    /** Longest bucket. */
    public static final Duration MAX_BUCKET = Duration.ofDays(366);

    public UpcomingLoad {
        due = List.copyOf(due);
    }

    static UpcomingLoad of(DelayQueueClient client, String topic, Duration bucket, int buckets) {
        if (bucket.compareTo(MIN_BUCKET) < 0 || bucket.compareTo(MAX_BUCKET) > 0) {
            throw new IllegalArgumentException(
                    "a bucket must be from " + MIN_BUCKET + " to " + MAX_BUCKET + ", not " + bucket);
        }
        if (buckets < 1 || buckets > MAX_BUCKETS) {
            throw new IllegalArgumentException("a load needs 1 to " + MAX_BUCKETS + " buckets, not " + buckets);
        }
        Instant now = client.stats(topic).time();
        List<Instant> bounds = Stream.iterate(now, bound -> bound.plus(bucket))
                .limit(buckets + 1L)
                .toList();
        List<Long> counts = client.pending(topic).countDue(bounds);
        return new UpcomingLoad(now, bucket, counts.get(0), counts.subList(1, buckets + 1), counts.get(buckets + 1));
    }
}
