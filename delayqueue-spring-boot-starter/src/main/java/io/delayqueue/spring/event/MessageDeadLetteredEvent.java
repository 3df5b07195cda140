package io.delayqueue.spring.event;

/**
 * A message was given up, by this process.
 *
 * @param topic its topic
 * @param id its id
 * @param attempts attempts made
 * @param error why
 */
public record MessageDeadLetteredEvent(String topic, String id, int attempts, String error) {}
