package io.delayqueue.jdbc.actuate;

/**
 * An id whose changes are not sent any more.
 *
 * @param topic the topic
 * @param id the id
 * @param failures how often its first change failed
 * @param error error of its first change, or {@code ******} if values are hidden
 */
public record BlockedIdDescriptor(String topic, String id, int failures, String error) {}
