package io.delayqueue.spring.actuate;

import java.util.List;

/**
 * One topic.
 *
 * @param stats its numbers
 * @param listeners its listeners in this process
 * @param holders the instances known to hold messages in flight, those that hold the most first
 * @param deadLetters its latest dead letters
 */
public record TopicDescriptor(
        TopicStatsDescriptor stats,
        List<ListenerDescriptor> listeners,
        List<InFlightDescriptor.Holder> holders,
        List<DeadLetterDescriptor> deadLetters)
        implements DelayQueueDescriptor {}
