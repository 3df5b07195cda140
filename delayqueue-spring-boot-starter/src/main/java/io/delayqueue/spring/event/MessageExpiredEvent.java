package io.delayqueue.spring.event;

/**
 * A message's time to live was over when this process found it; it was dropped unhandled.
 *
 * @param topic its topic
 * @param id its id
 */
public record MessageExpiredEvent(String topic, String id) {}
