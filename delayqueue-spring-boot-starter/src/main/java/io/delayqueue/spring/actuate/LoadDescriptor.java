package io.delayqueue.spring.actuate;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * Pending messages of a topic by due time.
 *
 * @param topic the topic
 * @param time Redis' clock; the first bucket begins here
 * @param bucket length of a bucket
 * @param overdue number of messages due before
 * @param due number of messages due in each bucket
 * @param later number of messages due after the last bucket
 */
public record LoadDescriptor(String topic, Instant time, Duration bucket, long overdue, List<Long> due, long later)
        implements DelayQueueDescriptor {}
