package io.delayqueue.jdbc.actuate;

/**
 * A difference between Redis and the journal.
 *
 * @param kind {@code ONLY_IN_JOURNAL}, {@code ONLY_IN_REDIS}, {@code OTHER_DUE} or {@code OTHER_STATUS}
 * @param topic the message's topic
 * @param id its id
 * @param generation tells it from other messages of the id
 * @param text the values of both sides
 */
public record DifferenceDescriptor(String kind, String topic, String id, String generation, String text) {}
