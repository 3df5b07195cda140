package io.delayqueue.jdbc.relay;

/**
 * An id whose changes are not sent any more.
 *
 * @param topic the topic
 * @param id the id
 * @param error why its first change failed
 * @param failures how often
 */
public record BlockedId(String topic, String id, String error, int failures) {}
