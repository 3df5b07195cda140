package io.delayqueue.spring.event;

/**
 * This process lost the lease of a message it is handling: another one will get it, and this one's outcome is refused.
 *
 * @param topic its topic
 * @param id its id
 * @param attempt the attempt that lost it
 */
public record LeaseLostEvent(String topic, String id, int attempt) {}
