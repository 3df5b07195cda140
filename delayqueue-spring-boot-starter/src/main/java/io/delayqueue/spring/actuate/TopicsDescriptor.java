package io.delayqueue.spring.actuate;

import java.util.Map;

/**
 * All topics.
 *
 * @param topics numbers of each topic, by its name
 */
public record TopicsDescriptor(Map<String, TopicStatsDescriptor> topics) implements DelayQueueDescriptor {}
