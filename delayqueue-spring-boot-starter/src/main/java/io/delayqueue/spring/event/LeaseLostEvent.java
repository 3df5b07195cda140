package io.delayqueue.spring.event;

/**
 * This process lost the lease of a message that it is handling: another consumer gets it, and Redis refuses this outcome.
 *
 * <p>Best effort: an event is lost if the process dies, or its event listeners are too slow.
 *
 * @param topic its topic
 * @param id its id
 * @param attempt number of the attempt that lost it
 */
public record LeaseLostEvent(String topic, String id, int attempt) {}
