package io.delayqueue.spring.event;

/**
 * This process dropped a message because its time to live was over.
 *
 * @param topic its topic
 * @param id its id
 */
public record MessageExpiredEvent(String topic, String id) {}
