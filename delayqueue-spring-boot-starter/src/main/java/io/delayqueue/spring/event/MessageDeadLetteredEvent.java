package io.delayqueue.spring.event;

/**
 * This process dead-lettered a message.
 *
 * <p>Best effort: an event is lost if the process dies, or its event listeners are too slow. {@code
 * DelayQueueClient.deadLetters(topic)} has all dead letters.
 *
 * @param topic its topic
 * @param id its id
 * @param attempts number of attempts made
 * @param error error of the last attempt
 */
public record MessageDeadLetteredEvent(String topic, String id, int attempts, String error) {}
