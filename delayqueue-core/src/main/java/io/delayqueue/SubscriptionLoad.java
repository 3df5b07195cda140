package io.delayqueue;

import java.time.Duration;
import java.util.Objects;

/**
 * Handler slots and messages of a {@link Subscription} in this process, at one instant.
 *
 * @param slots its handler slots, as many as its {@linkplain ConsumerOptions#concurrency() concurrency}; 0 while it is stopped
 * @param freeSlots slots that no handler has
 * @param prefetched messages claimed from Redis whose handler has not begun: they are not due yet, or wait for a slot
 * @param unsettled messages that wait for Redis to answer their ack, retry or release
 * @param bytes bytes of all its messages in flight: payloads, and some 500 for each message beside that
 * @param sincePass time since its claim loop last ran; of several partitions, the longest such time. It is at most the
 *     {@linkplain DelayQueueOptions#guardInterval() guard interval}, also while the subscription is paused or has no free slot. While
 *     Redis is silent, the {@linkplain DelayQueueOptions#commandTimeout() command timeout} comes in addition. A longer time means a
 *     stuck loop
 */
public record SubscriptionLoad(
        int slots, int freeSlots, int prefetched, int unsettled, long bytes, Duration sincePass) {

    /** Load of a stopped subscription. */
    public static final SubscriptionLoad NONE = new SubscriptionLoad(0, 0, 0, 0, 0, Duration.ZERO);

    public SubscriptionLoad {
        Objects.requireNonNull(sincePass, "sincePass");
    }
}
