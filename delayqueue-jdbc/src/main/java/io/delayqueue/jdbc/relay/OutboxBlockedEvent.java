package io.delayqueue.jdbc.relay;

/**
 * This process gave up an id of the outbox: its first change failed too often. It is sent again when somebody unblocks it.
 *
 * @param topic its topic
 * @param id the id
 * @param error error of the last failure
 */
public record OutboxBlockedEvent(String topic, String id, String error) {}
