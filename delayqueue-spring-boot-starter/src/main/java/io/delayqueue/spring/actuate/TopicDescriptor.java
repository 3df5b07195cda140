package io.delayqueue.spring.actuate;

import java.util.List;

/**
 * One topic.
 *
 * @param stats its numbers
 * @param listeners its listeners in this process
 * @param deadLetters its latest dead letters
 */
public record TopicDescriptor(
        TopicStatsDescriptor stats, List<ListenerDescriptor> listeners, List<DeadLetterDescriptor> deadLetters)
        implements DelayQueueDescriptor {}
