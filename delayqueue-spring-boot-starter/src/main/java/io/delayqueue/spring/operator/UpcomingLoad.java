package io.delayqueue.spring.operator;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

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
}
