package io.delayqueue.jdbc.relay;

/**
 * This process blocked an id of the outbox: its first change failed too often. Its changes are sent again once it is unblocked.
 *
 * @param topic its topic
 * @param id the id
 * @param error error of the last failure
 */
public record OutboxBlockedEvent(String topic, String id, String error) {}
