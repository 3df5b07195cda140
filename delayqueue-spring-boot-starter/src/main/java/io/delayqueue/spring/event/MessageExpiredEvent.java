package io.delayqueue.spring.event;

/**
 * This process dropped a message because its time to live was over.
 *
 * <p>Best effort: an event is lost if the process dies, or its event listeners are too slow. {@code TopicStats.totals().expired()}
 * counts all such messages.
 *
 * @param topic its topic
 * @param id its id
 */
public record MessageExpiredEvent(String topic, String id) {}
